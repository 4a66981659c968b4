"""What MLflow holds of a sweep, and what is read back."""
