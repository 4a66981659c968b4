"""What is done with past runs: compare two, gate a change, explain a question, make a run again."""
