"""What has been filled into a form's fields becomes text of the page, where it stands. Buttons, boxes to
tick, passwords and comments do not."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final

import pypdfium2.raw as pdfium

_WITH_TEXT: Final = {
    pdfium.FPDF_FORMFIELD_TEXTFIELD,
    pdfium.FPDF_FORMFIELD_COMBOBOX,
    pdfium.FPDF_FORMFIELD_LISTBOX,
}
_PASSWORD: Final = 1 << 13  # of a text field's flags (PDF 32000-1, table 228)
_NOT_SHOWN: Final = pdfium.FPDF_ANNOT_FLAG_HIDDEN | pdfium.FPDF_ANNOT_FLAG_NOVIEW


@contextmanager
def open_form(document: Any) -> Iterator[Any]:
    """None for a document without a form of the kind that all programs know (AcroForm)."""
    if pdfium.FPDF_GetFormType(document) != pdfium.FORMTYPE_ACRO_FORM:
        yield None
        return
    callbacks = pdfium.FPDF_FORMFILLINFO(version=2)
    form = pdfium.FPDFDOC_InitFormFillEnvironment(document, callbacks)
    try:
        yield form or None
    finally:
        if form:
            pdfium.FPDFDOC_ExitFormFillEnvironment(form)


def fill_in(page: Any, form: Any) -> bool:
    """Whether the page must be loaded again to show what is in its fields. The file stays as it is."""
    kept = 0
    for number in reversed(range(pdfium.FPDFPage_GetAnnotCount(page))):
        annotation = pdfium.FPDFPage_GetAnnot(page, number)
        is_kept = bool(annotation) and _has_text(annotation, form)
        if annotation:
            pdfium.FPDFPage_CloseAnnot(annotation)
        if is_kept:
            kept += 1
        else:
            pdfium.FPDFPage_RemoveAnnot(page, number)
    return kept > 0 and pdfium.FPDFPage_Flatten(page, pdfium.FLAT_NORMALDISPLAY) == pdfium.FLATTEN_SUCCESS


def _has_text(annotation: Any, form: Any) -> bool:
    if pdfium.FPDFAnnot_GetSubtype(annotation) != pdfium.FPDF_ANNOT_WIDGET:
        return False
    if pdfium.FPDFAnnot_GetFlags(annotation) & _NOT_SHOWN:
        return False
    kind = pdfium.FPDFAnnot_GetFormFieldType(form, annotation)
    if kind not in _WITH_TEXT:
        return False
    is_text = kind == pdfium.FPDF_FORMFIELD_TEXTFIELD
    return not (is_text and pdfium.FPDFAnnot_GetFormFieldFlags(form, annotation) & _PASSWORD)
