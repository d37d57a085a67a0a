"""Sentences of docs/findings.md about verdicts, by published results, with the claims that they summarise.

test_docs.py checks them.
"""

from semblance.vocabulary import Verdict

VERDICTS = {
    "evening": [
        (
            "Whether fine-tuning on QQP first helps on STS-B or on semantic conflicts is open",
            "two-stages-beat-one stress-over-one-stage-* extended-over-one-stage-*",
            Verdict.INCONCLUSIVE,
        ),
        ("SBERT, fine-tuned on STS-B, is better there than BERT", "sbert-over-bert-on-stsb", Verdict.SUPPORTED),
        ("By ROC AUC, fine-tuned MiniLM is better than", "sbert-over-forest-auc", Verdict.SUPPORTED),
        (
            "by accuracy and F1, this does not remain at a false discovery rate",
            "sbert-over-forest sbert-over-forest-accuracy",
            Verdict.INCONCLUSIVE,
        ),
        ("ColBERT is better than the 3D network on SNLI.", "over-colbert-snli", Verdict.REFUTED),
        (
            "All other main claims are open",
            "over-sbert-* over-colbert-qqp over-colbert-mrpc over-colbert-mnli",
            Verdict.INCONCLUSIVE,
        ),
        (
            "triplets with hard negatives are more accurate than Siamese networks",
            "hard-triplet-over-siamese-bert-accuracy",
            Verdict.SUPPORTED,
        ),
        (
            "the cosine of the embeddings is more accurate than before training",
            "regression-by-cosine-bert-accuracy",
            Verdict.SUPPORTED,
        ),
        ("Three hidden layers before logistic", "hidden-3-no-different-accuracy", Verdict.INCONCLUSIVE),
    ],
    "forgetting": [
        (
            "below 0 by the end of the sequence, by accuracy and by ROC AUC for QQP",
            "matched-forgets-both*",
            Verdict.SUPPORTED,
        ),
        ("Correlation on STS is lost; that QQP alone", "matched-forgets-sts", Verdict.SUPPORTED),
        ("that QQP alone is forgotten does not remain", "matched-forgets-qqp*", Verdict.INCONCLUSIVE),
        ("by the end, with accuracy and with ROC AUC for QQP. With ROC AUC", "printed-keeps-both*", Verdict.SUPPORTED),
        ("It keeps more of STS alone; of QQP alone, this is open", "printed-keeps-sts", Verdict.SUPPORTED),
        ("It keeps more of STS alone; of QQP alone, this is open", "printed-keeps-qqp*", Verdict.INCONCLUSIVE),
        (
            "after equal numbers of steps, it keeps more of STS, and of both with ROC AUC",
            "printed-round-keeps-sts printed-round-keeps-both-by-auc",
            Verdict.SUPPORTED,
        ),
        ("with accuracy, this does not remain at this rate. -", "printed-round-keeps-both", Verdict.INCONCLUSIVE),
        (
            "with ROC AUC; with accuracy, this does not remain at this rate. It keeps the first epoch",
            "reference-keeps-both-by-auc",
            Verdict.SUPPORTED,
        ),
        (
            "with accuracy, this does not remain at this rate. It keeps the first epoch",
            "reference-keeps-both",
            Verdict.INCONCLUSIVE,
        ),
        (
            "In the first round, it keeps more of both by either metric, and of STS alone",
            "reference-round-keeps-both* reference-round-keeps-sts",
            Verdict.SUPPORTED,
        ),
        (
            "it keeps more of both by the end with ROC AUC; with accuracy, this is open",
            "listed-keeps-both-by-auc",
            Verdict.SUPPORTED,
        ),
        ("with ROC AUC; with accuracy, this is open. It has no rounds", "listed-keeps-both", Verdict.INCONCLUSIVE),
        ("from QQP on, STS is better after its own stage", "*-improves-sts", Verdict.SUPPORTED),
        (
            "STS is better, and so is the mean over all tasks",
            "rounds-printed-sts rounds-reference-sts *-rounds-overall",
            Verdict.SUPPORTED,
        ),
        (
            "On QQP and SST, whether SMART helps is open",
            "*-improves-qqp *-improves-sst rounds-printed-sst rounds-reference-sst rounds-*-qqp",
            Verdict.INCONCLUSIVE,
        ),
        (
            "The thesis' own sequence without SMART cannot be judged",
            "qqp-helps-sts sts-helps-qqp sst-hurts-sts combination-keeps-qqp sss-better-than-sbert",
            Verdict.INCONCLUSIVE,
        ),
        ("Whether training on STS forgets QQP", "sts-hurts-qqp", Verdict.INCONCLUSIVE),
        ("With SMART, a dropout of 0.1 is better than 0.3 on STS", "less-dropout-sts", Verdict.SUPPORTED),
        ("is the second of two, where the thesis has the first", "sts-best-first*", Verdict.REFUTED),
        ("is better than unsupervised SimCSE", "in-batch-beats-unsupervised", Verdict.SUPPORTED),
        ("whether they beat unsupervised SimCSE is open", "triplet-beats-unsupervised", Verdict.INCONCLUSIVE),
        ("triplets of SimCSE are better on STS than no training", "simcse-helps-sts", Verdict.SUPPORTED),
        (
            "Whether SimCSE before the rounds helps on STS, on SST or over all tasks is open",
            "sss-better-sts ss-better-sst ss-better-overall",
            Verdict.INCONCLUSIVE,
        ),
        (
            "is better on STS than one task after the other with the published codes",
            "reference-rounds-keep-sts",
            Verdict.SUPPORTED,
        ),
        ("and worse with SMART as printed", "printed-rounds-keep-sts", Verdict.REFUTED),
        ("without SMART, its lead does not remain", "plain-rounds-keep-sts", Verdict.INCONCLUSIVE),
        ("On QQP, all three comparisons are open", "*-rounds-keep-qqp", Verdict.INCONCLUSIVE),
        (
            "less is kept by accuracy than at 1e-4; this does not remain",
            "slower-keeps-both*",
            Verdict.INCONCLUSIVE,
        ),
        ("as in the published codes keeps more than it", "*-over-slower*", Verdict.SUPPORTED),
        ("the claims about it are open", "*-fewer-epochs-sts", Verdict.INCONCLUSIVE),
    ],
    "forgetting-letter": [
        (
            "again keeps more of QQP and STS together, with QQP's ROC AUC",
            "average-keeps-both-by-auc",
            Verdict.SUPPORTED,
        ),
        ("three seeds is ahead, but over all of them this is open", "average-keeps-both", Verdict.INCONCLUSIVE),
        ("**To the letter**, it is not shown to keep more of anything", "letter-keeps-*", Verdict.INCONCLUSIVE),
        (
            "That a moving average keeps more than the letter does not remain",
            "average-over-letter*",
            Verdict.INCONCLUSIVE,
        ),
        ("It still keeps more of both with QQP's ROC AUC", "scaled-keeps-both-by-auc", Verdict.SUPPORTED),
        ("with its accuracy, this does not remain at a false", "scaled-keeps-both", Verdict.INCONCLUSIVE),
        ("Whether it keeps less than the unscaled one is open", "average-over-scaled*", Verdict.INCONCLUSIVE),
        ("after its own stage, it is better than without SMART", "scaled-improves-sts-in-sequence", Verdict.SUPPORTED),
        (
            "A model of STS alone is far better with a moving average, and better with the published codes",
            "average-improves-sts-alone reference-improves-sts-alone",
            Verdict.SUPPORTED,
        ),
        ("to the letter, its gain is", "letter-improves-sts-alone", Verdict.SUPPORTED),
        (
            "On SST alone, no form of SMART is shown to help, nor in any of the three readings on QQP",
            "*-improves-sst-alone *-improves-qqp",
            Verdict.INCONCLUSIVE,
        ),
    ],
    "forgetting-small": [
        ("All 26 claims are open or do not remain at a false discovery rate of 5%", "*", Verdict.INCONCLUSIVE),
    ],
    "longer": [
        ("On SNLI, the 3D network is then better than SBERT", "sa-fa-3-rfm-over-sbert-snli", Verdict.SUPPORTED),
        ("Whether it is better than ColBERT, which leads in", "sa-fa-3-rfm-over-colbert-snli", Verdict.INCONCLUSIVE),
        ("after AFE over blocks, it is better than both", "rfm-printed-over-*-snli", Verdict.SUPPORTED),
        (
            "also ahead of max and average pooling; this does not remain",
            "rfm-over-pooling-fa-3-printed-snli",
            Verdict.INCONCLUSIVE,
        ),
        (
            "With AFE's weights of mean 1, it is better than SBERT",
            "afe-mean-1-over-sbert-snli",
            Verdict.SUPPORTED,
        ),
        (
            "it is better than SBERT; against ColBERT, this is open",
            "afe-mean-1-over-colbert-snli",
            Verdict.INCONCLUSIVE,
        ),
        (
            "ColBERT is better than the variants that follow the authors' code",
            "all-code-over-colbert-snli",
            Verdict.REFUTED,
        ),
        (
            "ColBERT is also ahead of the network with both AFE and RFM as printed; this does not remain",
            "printed-over-colbert-snli",
            Verdict.INCONCLUSIVE,
        ),
        ("After SA alone, RFM is worse than pooling", "rfm-over-pooling-sa-snli", Verdict.REFUTED),
        ("over the last block alone is worse than the 3D network", "over-last-block-snli", Verdict.SUPPORTED),
        (
            "without FA and RFM is better than SBERT, by accuracy and by ROC AUC",
            "sa-pooling-over-sbert-mrpc*",
            Verdict.SUPPORTED,
        ),
        ("With FA and RFM, this is open", "sa-fa-3-rfm-over-sbert-mrpc*", Verdict.INCONCLUSIVE),
        (
            "neither is shown to be better than ColBERT",
            "sa-*-over-colbert-mrpc*",
            Verdict.INCONCLUSIVE,
        ),
        ("has a lower ROC AUC than ColBERT here", "rfm-printed-over-colbert-mrpc-by-auc", Verdict.REFUTED),
        ("After SA alone, RFM is less accurate than pooling", "rfm-over-pooling-sa-mrpc", Verdict.REFUTED),
        (
            "SBERT and RFM as printed have a lower ROC AUC than it",
            "sbert-over-overlap-* rfm-printed-over-overlap-*",
            Verdict.REFUTED,
        ),
    ],
    "transfer-controls": [
        ("QQP is better on STS-B than after the same training", "qqp-first-over-alone-pearson", Verdict.SUPPORTED),
        (
            "at half the learning rate, and than after longer training",
            "qqp-first-over-half-stsb qqp-first-over-longer-stsb",
            Verdict.SUPPORTED,
        ),
        (
            "it has a higher ROC AUC than each of these, and than word overlap",
            "qqp-first-over-alone-roc-auc qqp-first-over-best-alone-extended qqp-first-over-overlap",
            Verdict.SUPPORTED,
        ),
        ("Whether another first phase would help as much cannot be judged", "*snli-first*", Verdict.INCONCLUSIVE),
    ],
    "longer-pooling": [
        (
            "After triplets, MEAN and CLS have a higher ROC AUC than MAX.",
            "triplet-mean-over-max triplet-cls-over-max",
            Verdict.SUPPORTED,
        ),
        (
            "After Siamese training, CLS has a lower one than MAX, as before training",
            "siamese-cls-over-max zero-shot-cls-over-max",
            Verdict.REFUTED,
        ),
        ("as before training; MEAN against MAX is open.", "siamese-mean-over-max", Verdict.INCONCLUSIVE),
        (
            "After logistic regression, both comparisons are open.",
            "regression-mean-over-max regression-cls-over-max",
            Verdict.INCONCLUSIVE,
        ),
        (
            "By accuracy and F1 it is open. CLS against MAX is open by all three",
            "mean-over-max-* cls-over-max-*",
            Verdict.INCONCLUSIVE,
        ),
        ("which we read as within one point. This is open by accuracy and F1", "mean-like-cls-*", Verdict.INCONCLUSIVE),
        ("is shown to raise the ROC AUC with MAX alone", "siamese-max-over-zero-shot-roc-auc", Verdict.SUPPORTED),
        (
            "is shown to raise the ROC AUC with MAX alone",
            "siamese-mean-over-zero-shot-roc-auc siamese-cls-over-zero-shot-roc-auc",
            Verdict.INCONCLUSIVE,
        ),
        (
            "Triplets and logistic regression raise it with MEAN and with CLS",
            "triplet-mean-over-zero-shot-roc-auc triplet-cls-over-zero-shot-roc-auc "
            "regression-mean-over-zero-shot-roc-auc regression-cls-over-zero-shot-roc-auc",
            Verdict.SUPPORTED,
        ),
        (
            "With CLS, which the paper uses from there on, triplets are better than Siamese networks",
            "triplet-over-siamese-cls",
            Verdict.SUPPORTED,
        ),
        ("with MAX, they are worse; on average", "triplet-over-siamese-max", Verdict.REFUTED),
        (
            "they are worse; on average, this is open",
            "triplet-over-siamese-accuracy triplet-over-siamese-f1 triplet-over-siamese-roc-auc",
            Verdict.INCONCLUSIVE,
        ),
        (
            "Logistic regression is not shown to be better than triplets",
            "regression-over-triplet-*",
            Verdict.INCONCLUSIVE,
        ),
        ("only with MEAN; triplets with MAX have a lower one", "triplet-max-over-overlap", Verdict.REFUTED),
        (
            "Triplets and logistic regression have a higher ROC AUC than word overlap only with MEAN",
            "triplet-mean-over-overlap regression-mean-over-overlap",
            Verdict.SUPPORTED,
        ),
        (
            "Before training, they also favour MEAN over MAX",
            "zero-shot-three-layers-mean-over-max zero-shot-mean-over-max",
            Verdict.SUPPORTED,
        ),
        (
            "logistic regression is worse than with MEAN at 0.01",
            "regression-mean-over-slower-max",
            Verdict.SUPPORTED,
        ),
    ],
    "longer-combined": [
        (
            "it is open whether fine-tuning first helps, by accuracy, F1 and ROC AUC, beside training twice and once",
            "combined-over-*",
            Verdict.INCONCLUSIVE,
        ),
        ("Siamese training seems to gain by it; this does not remain", "combined-siamese-over-*", Verdict.INCONCLUSIVE),
        ("logistic regression have a higher ROC AUC than the", "[tr]*-over-zero-shot-roc-auc", Verdict.SUPPORTED),
        (
            "different amounts that over all seeds it is open",
            "fine-tuning-over-zero-shot-accuracy",
            Verdict.INCONCLUSIVE,
        ),
        ("but over all of them this is open", "combined-regression-over-twice-roc-auc", Verdict.INCONCLUSIVE),
        ("For triplets, it is open", "combined-triplet-over-*", Verdict.INCONCLUSIVE),
        ("is shown to have a higher ROC AUC than word overlap", "*-over-overlap", Verdict.INCONCLUSIVE),
    ],
    "longer-attention": [
        ("All blocks remain far better than the last one, even without AFE", "*-over-last-scaled", Verdict.SUPPORTED),
        ("dividing by √D is not shown to help", "scaling-helps", Verdict.INCONCLUSIVE),
        (
            "AFE with a mean of 1 is not shown to be better than a wider classifier",
            "adaptive-weights-help",
            Verdict.INCONCLUSIVE,
        ),
        ("it is not shown to be better than AFE over blocks", "code-with-mean-1", Verdict.INCONCLUSIVE),
    ],
    "longer-qqp": [
        (
            "At the paper's learning rate, 0.001, the 3D network is better than SBERT",
            "sa-fa-3-rfm-over-sbert-paper-*",
            Verdict.SUPPORTED,
        ),
        (
            "and ColBERT is better than the 3D network, by accuracy and by ROC AUC",
            "sa-fa-3-rfm-over-colbert-paper-*",
            Verdict.REFUTED,
        ),
        (
            "With RFM as printed, and without RFM, the same holds",
            "rfm-printed-over-sbert-paper-* sa-fa-3-pooling-over-sbert-paper-*",
            Verdict.SUPPORTED,
        ),
        (
            "With RFM as printed, and without RFM, the same holds",
            "rfm-printed-over-colbert-paper-* sa-fa-3-pooling-over-colbert-paper-*",
            Verdict.REFUTED,
        ),
        (
            "With both AFE and RFM as printed, it has a lower ROC AUC than SBERT",
            "printed-over-sbert-roc-auc",
            Verdict.REFUTED,
        ),
        (
            "RFM is not shown to be better than max and average pooling, nor SA with FA-3 better than SA alone",
            "*-over-pooling-paper-* fa-3-with-sa-*",
            Verdict.INCONCLUSIVE,
        ),
        ("over the last block alone is worse, as on SNLI", "over-last-block-*", Verdict.SUPPORTED),
        (
            "0.0003, 0.001, 0.003 or 0.01. The 3D network is still better than SBERT",
            "*-over-sbert-chosen-*",
            Verdict.SUPPORTED,
        ),
        (
            "ColBERT still has a higher ROC AUC than the 3D network",
            "sa-fa-3-rfm-over-colbert-chosen-roc-auc",
            Verdict.REFUTED,
        ),
        (
            "than the 3D network; by accuracy, this is open",
            "sa-fa-3-rfm-over-colbert-chosen-accuracy",
            Verdict.INCONCLUSIVE,
        ),
        (
            "RFM at 0.003 is better than max and average pooling at 0.001",
            "sa-fa-3-rfm-over-pooling-chosen-*",
            Verdict.SUPPORTED,
        ),
        ("The cosine of its embeddings has a higher ROC AUC than SBERT's", "sbert-over-zero-shot", Verdict.REFUTED),
        (
            "At chosen learning rates, ColBERT and the 3D network have a higher one than this cosine",
            "colbert-over-zero-shot sa-fa-3-rfm-over-zero-shot",
            Verdict.SUPPORTED,
        ),
        (
            "for the other forms of the 3D network, this is open",
            "sa-pooling-over-zero-shot sa-fa-3-pooling-over-zero-shot rfm-printed-over-zero-shot",
            Verdict.INCONCLUSIVE,
        ),
        ("Without FA and RFM, it is better than SBERT, too", "sa-pooling-over-sbert-*", Verdict.SUPPORTED),
        ("Against ColBERT, it is open by accuracy", "sa-pooling-over-colbert-paper-*", Verdict.INCONCLUSIVE),
        (
            "ColBERT is better than both networks without RFM, by accuracy and by ROC AUC",
            "sa-pooling-over-colbert-chosen-* sa-fa-3-pooling-over-colbert-chosen-*",
            Verdict.REFUTED,
        ),
        (
            "is shown to be better than the paper's only for RFM as printed",
            "rfm-printed-chosen-rate",
            Verdict.SUPPORTED,
        ),
        (
            "is shown to be better than the paper's only for RFM as printed",
            "[sc]*-chosen-rate",
            Verdict.INCONCLUSIVE,
        ),
    ],
    "transfer": [
        ("over all seeds it is open", "two-stages-beat-one", Verdict.INCONCLUSIVE),
        (
            "Whether training on QQP first helps on the extended stress suite is open",
            "extended-over-*",
            Verdict.INCONCLUSIVE,
        ),
        ("No verdict of `transfer` remains", "*", Verdict.INCONCLUSIVE),
    ],
}
