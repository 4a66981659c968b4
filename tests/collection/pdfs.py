"""PDF files written by hand: a page a text, in Helvetica."""

from __future__ import annotations


def pdf(*pages: str) -> bytes:
    """Return a PDF with these pages; an empty text makes a page without any."""
    kids = " ".join(f"{3 + 2 * number} 0 R" for number in range(len(pages)))
    bodies = ["<< /Type /Catalog /Pages 2 0 R >>", f"<< /Type /Pages /Kids [{kids}] /Count {len(pages)} >>"]
    font = "<< /Font << /F1 << /Type /Font /Subtype /Type1 /BaseFont /Helvetica >> >> >>"
    for number, text in enumerate(pages):
        shown = text.replace("\\", r"\\").replace("(", r"\(").replace(")", r"\)")
        stream = f"BT /F1 12 Tf 72 720 Td ({shown}) Tj ET" if text else ""
        content = f"{4 + 2 * number} 0 R"
        bodies.append(f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Resources {font} /Contents {content} >>")
        bodies.append(f"<< /Length {len(stream)} >>\nstream\n{stream}\nendstream")
    data, places = b"%PDF-1.4\n", []
    for number, body in enumerate(bodies, 1):
        places.append(len(data))
        data += f"{number} 0 obj\n{body}\nendobj\n".encode("latin-1")
    table = "".join(f"{place:010d} 00000 n \n" for place in places)
    size = len(bodies) + 1
    end = f"xref\n0 {size}\n0000000000 65535 f \n{table}trailer\n<< /Size {size} /Root 1 0 R >>\n"
    return data + f"{end}startxref\n{len(data)}\n%%EOF\n".encode("latin-1")
