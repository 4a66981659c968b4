"""The study engine: grid, shared work, results. The only room that composes the others."""
