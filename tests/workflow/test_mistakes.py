"""A user's mistakes give one-sentence errors; those in the configuration stop before any job runs."""

import pytest

FILES = "preset=tiny data_source=files data_folder={folder}"


@pytest.mark.parametrize(
    ("config", "says"),
    [
        ("preset=dmeo", "there is no preset 'dmeo'; did you mean 'demo'?"),
        ("preset=tiny sedes=[1]", "there is no key 'sedes'; did you mean 'seeds'?"),
        ("preset=tiny data_source=files", "data_folder must name the folder"),
        ("preset=tiny data_source=files data_folder=/nowhere", "data_folder: /nowhere does not exist"),
    ],
)
def test_a_wrong_configuration_stops_before_anything_runs(fresh, config, says):
    output = fresh.snakemake(config=config, check=False)
    assert says in output and "Traceback" not in output and "Error in file" not in output
    assert not (fresh.path / "results").exists()


def test_a_setting_that_is_there_twice_is_refused(fresh):
    fresh.edit("config/config.yaml", "papers:", "device: cpu\npapers:")
    assert "the key 'device' is repeated" in fresh.snakemake(check=False)


def test_a_run_that_is_not_there_is_named_with_its_file(fresh):
    fresh.edit("config/papers/stl.yaml", "{run: word2vec}", "{run: word2vek}")
    output = fresh.snakemake("--dry-run", check=False)
    assert "config/papers/stl.yaml: tables.table2.rows: there is no run 'word2vek'; did you mean 'word2vec'?" in output


@pytest.mark.parametrize(
    ("file", "says"),
    [
        ("tables/stl-tabel2.md", "there is no table 'tabel2'; did you mean 'table2'?"),
        ("figures/stl-stress-by-typ.png", "there is no figure 'stress-by-typ'; did you mean 'stress-by-type'?"),
        ("lists/minilm-error.md", "there is no list 'error'; did you mean 'errors'?"),
    ],
)
def test_a_result_that_is_not_there_is_named_with_the_nearest(fresh, file, says):
    output = fresh.snakemake("--dry-run", "--", f"results/tiny/{file}", check=False)
    assert f"semblance: config/papers/{file.split('/')[1].split('-')[0]}.yaml: {says}" in output
    assert "Traceback" not in output


def test_a_table_of_a_study_is_not_taken_for_one_of_its_paper(fresh):
    planned = fresh.planned("--", "stl_table2", "stl_transfer_table2", config="preset=transfer")
    assert planned["render_table"] == 2


def test_a_misspelt_rule_is_named_with_the_nearest(fresh):
    output = fresh.snakemake("--dry-run", "--", "stl_tabel2", check=False)
    assert "semblance: there is no rule 'stl_tabel2'; did you mean 'stl_table2'?" in output
    assert "rule misspelt" not in output  # nothing of how Snakemake came upon it
    output = fresh.snakemake("--dry-run", "--", "results/evening/tables/stl-table2.md", check=False)
    assert "semblance: results/evening/tables/stl-table2.md: add --config preset=evening -- before it" in output
    output = fresh.snakemake("--dry-run", "--", "results/evning/report.html", check=False)
    assert "there is no preset 'evning'; did you mean 'evening'?" in output
    (fresh.path / "results/evening/lists").mkdir(parents=True)
    (fresh.path / "results/evening/lists/mine.csv").touch()  # may be among own.pairs
    assert "semblance:" not in fresh.snakemake("--dry-run", "--", "results/evening/lists/mine.csv")
    output = fresh.snakemake("--dry-run", "--", "own_board", check=False)
    assert "semblance: own_board: add own to papers, which are " in output


@pytest.mark.parametrize(
    ("named", "says"),
    [
        ("", "first= is missing: snakemake --cores 1 compare --config first="),
        ("first=no.json second=no.json", "no.json is not there"),
        ("first=Snakefile second=Snakefile", "Snakefile is not JSON"),
    ],
)
def test_results_to_compare_that_are_not_there_are_named(fresh, named, says):
    output = fresh.snakemake("--", "compare", config=f"preset=tiny {named}", check=False)
    assert says in output and "Traceback" not in output and "Error in rule" not in output


def test_bad_data_stops_its_job_with_file_row_and_remedy_and_leaves_nothing_half_written(fresh):
    corpora = fresh.path / "corpora/stsb"
    corpora.mkdir(parents=True)
    good = "main-news\tMSRpar\t2012test\t1\t3.0\tA {n}.\tB {n}."
    for split in ("train", "dev", "test"):
        (corpora / f"sts-{split}.csv").write_text("\n".join(good.format(n=f"{split} {n}") for n in range(9)))
    with (corpora / "sts-dev.csv").open("a") as file:
        file.write("\nmain-news\tMSRpar\t2012test\t1\t7.5\tA.\tB.")
    config = FILES.format(folder=fresh.path / "corpora")
    output = fresh.snakemake("results/tiny/data/stsb", config=config, check=False)
    assert "semblance: stsb: stsb/sts-dev.csv row 10: the label is '7.5', but must be from 0 to 5" in output
    assert "Traceback" not in output
    assert not list((fresh.path / "results/tiny/data").rglob("*.parquet"))


def test_official_files_are_read_from_where_the_configuration_says(fresh):
    corpora = fresh.path / "corpora/stsb"
    corpora.mkdir(parents=True)
    for split in ("train", "dev", "test"):
        line = f"main-news\tMSRpar\t2012test\t1\t3.0\tA {split}.\tB {split}.\textra\tcolumns"
        (corpora / f"sts-{split}.csv").write_text(line)
    config = FILES.format(folder=fresh.path / "corpora")
    fresh.snakemake("results/tiny/data/stsb", config=config)
    assert (fresh.path / "results/tiny/data/stsb/facts.json").exists()


def test_a_gpu_asked_for_and_absent_is_an_error_not_a_slow_run(fresh):
    torch = pytest.importorskip("torch")
    if torch.cuda.is_available():
        pytest.skip("this machine has a GPU")
    output = fresh.snakemake("results/tiny/encoders/bert/facts.json", config="preset=tiny device=cuda", check=False)
    assert "device: cuda, but torch sees no GPU here" in output
