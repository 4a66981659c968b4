"""What every test runs under: no network, one thread, our own warnings as errors; and what is costly to make, once."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, settings

from harness.threads import pin_threads

os.environ["HF_HUB_OFFLINE"] = "1"
os.environ.pop("MLFLOW_TRACKING_URI", None)
pin_threads()
settings.register_profile("harness", deadline=None)
# Mutants: few examples and the same every time, no search for a smaller one once a mutant is found out, and no
# complaint that a busy machine is slow.
settings.register_profile(
    "mutants",
    max_examples=15,
    deadline=None,
    derandomize=True,
    phases=[Phase.explicit, Phase.generate],
    suppress_health_check=list(HealthCheck),
)
settings.load_profile("harness")


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("filterwarnings", "error:::harness")
    # A shell that runs something in the background has it ignore Ctrl-C, and what the tests start would inherit that.
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(autouse=True)
def _own_tracking_store() -> Iterator[None]:
    """``mlflow.set_tracking_uri`` writes to the environment, from where later tests would read it."""
    yield
    os.environ.pop("MLFLOW_TRACKING_URI", None)


@pytest.fixture(scope="session")
def tiny_encoder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of a small bi-encoder that declares prompts."""
    from support.models import build_encoder

    prompts = {"query": "q: ", "document": "d: "}
    return build_encoder(tmp_path_factory.mktemp("models") / "tiny-encoder", prompts=prompts)


@pytest.fixture(scope="session")
def tiny_reranker(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of a small cross-encoder that reads 64 tokens."""
    from support.models import build_reranker

    return build_reranker(tmp_path_factory.mktemp("models") / "tiny-reranker")
