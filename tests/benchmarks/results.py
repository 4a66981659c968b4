"""``build/bench.json``: one section a benchmark, with the machine it was measured on."""

from __future__ import annotations

import json
import os
import platform
import sys
from pathlib import Path
from typing import Any

PATH = Path(__file__).parents[2] / "build" / "bench.json"


def write_section(name: str, values: dict[str, Any]) -> None:
    """Replace one section of the file and print it."""
    PATH.parent.mkdir(exist_ok=True)
    content = json.loads(PATH.read_text(encoding="utf-8")) if PATH.exists() else {}
    content["machine"] = {
        "platform": platform.platform(),
        "processors": os.cpu_count(),
        "load": os.getloadavg()[0],
        "python": sys.version.split()[0],
    }
    content[name] = values
    PATH.write_text(json.dumps(content, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
    print(json.dumps({name: values}, indent=2, ensure_ascii=False))
