"""Which artifact needs which, which runs share a job, and what jobs are estimated to cost."""
