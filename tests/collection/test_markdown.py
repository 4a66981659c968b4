"""Reading a folder of Markdown files."""

from __future__ import annotations

import hashlib
import os
import unicodedata
from pathlib import Path

import pytest

from harness.collection import read_markdown_folder
from harness.fingerprint import sha256_json
from tests_collection_types import Refused, Write
