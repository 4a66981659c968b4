"""Studies over public collections, held against numbers that other tools gave."""
