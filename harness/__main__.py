"""``python -m harness``."""

from harness.entry import main

if __name__ == "__main__":
    main()
