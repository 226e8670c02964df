# SPDX-License-Identifier: GPL-2.0-or-later
#
# Copyright (C) 2026 Trunkline maintainers
#
# This file runs inside Mercurial and is distributed under its terms: the GNU General Public License, version 2 or any
# later version. The rest of Trunkline is separate from it: it runs this file as a program.
"""Renders reStructuredText by docutils, in the Python that Mercurial has. A document reads no files and adds no raw HTML."""

from mercurial import demandimport, registrar

cmdtable = {}
command = registrar.command(cmdtable)

TEXT_BYTES_MAX = 2 * 1024 * 1024

SETTINGS = {
    '_disable_config': True,
    'file_insertion_enabled': False,
    'raw_enabled': False,
    # Faults of a document are neither shown nor printed, and end nothing.
    'report_level': 5,
    'halt_level': 5,
    'warning_stream': False,
    'embed_stylesheet': False,
    'stylesheet_path': None,
    # The page around the body, which is not used: Debian's package does not find its own where it was unpacked.
    'template': '/dev/null',
    'image_loading': 'link',
    'math_output': 'LaTeX',
    'syntax_highlight': 'none',
    'strip_comments': True,
    'toc_backlinks': False,
    'output_encoding': 'unicode',
}


@command(b'trunkline-rst', [], norepo=True)
def trunkline_rst(ui):
    """writes the HTML of the document that stdin has"""
    text = ui.fin.read(TEXT_BYTES_MAX).decode('utf-8', 'replace')
    # docutils asks what can be imported.
    with demandimport.deactivated():
        from docutils import core
        from docutils.parsers.rst.directives import images

        # Since docutils 0.21 a document can ask by it for the bytes of an image.
        for directive in (images.Image, images.Figure):
            directive.option_spec.pop('loading', None)
        parts = core.publish_parts(text, writer_name='html5', settings_overrides=SETTINGS)
    ui.fout.write(parts['html_body'].encode('utf-8', 'replace'))
