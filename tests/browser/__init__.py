"""What a person sees: the page and the MLflow UI in a real browser."""
