"""The style of a report: calm on a screen, light or dark, and on paper."""

from __future__ import annotations

from typing import Final

from qsage_validate.render.board_svg import STYLE as BOARD_STYLE

PAGE_STYLE: Final = (
    """
:root{color-scheme:light dark;--paper:#fff;--ink:#1f2124;--quiet:#5d6168;--rule:#d9d6cf;
--soft:#f6f4ef;--good:#1d6b34;--bad:#a3211a;--open:#8a5a00;--bar:#7d8ea3}
*{box-sizing:border-box}
html{-webkit-text-size-adjust:100%}
body{margin:0;background:var(--paper);color:var(--ink);
font:17px/1.55 Charter,"Bitstream Charter","Iowan Old Style","Source Serif 4",Georgia,
"Times New Roman",serif}
main{max-width:52rem;margin:0 auto;padding:2.6rem 1.4rem 4rem}
h1{font-size:1.62rem;line-height:1.25;margin:.2rem 0 .6rem;font-weight:600;overflow-wrap:anywhere}
h2{font-size:1.18rem;margin:2.3rem 0 .7rem;padding-top:.9rem;border-top:1px solid var(--rule);
font-weight:600}
h3{font-size:1rem;margin:1.8rem 0 .4rem;font-weight:600}
p{margin:.5rem 0}
.over{color:var(--quiet);font-size:.85rem;letter-spacing:.04em;margin:0}
.claim{font-size:1.05rem}
.verdict{font-weight:600}td .verdict{white-space:nowrap}
.good{color:var(--good)}.bad{color:var(--bad)}.open{color:var(--open)}.none{color:var(--quiet)}
blockquote{margin:1.2rem 0;padding:.7rem 1.1rem;background:var(--soft);
border-left:3px solid currentColor;overflow-wrap:anywhere}
blockquote p{margin:0;color:var(--ink)}
.note{color:var(--quiet);font-size:.88rem}
.scroll{overflow-x:auto}
table{border-collapse:collapse;width:100%;margin:.7rem 0;font-size:.88rem;line-height:1.45}
th{font-weight:600;text-align:left;border-bottom:1.5px solid var(--ink)}
th,td{padding:.42rem .9rem .42rem 0;vertical-align:top}
td{border-bottom:1px solid var(--rule);overflow-wrap:anywhere}
th:last-child,td:last-child{padding-right:0}
tbody th{border-bottom:1px solid var(--rule);font-weight:400}
.number{text-align:right;padding-left:.9rem;font-variant-numeric:tabular-nums;white-space:nowrap}
table.narrow{width:auto;min-width:24rem}
.evidence{margin:.25rem 0 0;padding:0;list-style:none;color:var(--quiet);font-size:.82rem}
code,pre{font-family:ui-monospace,"SF Mono",Menlo,Consolas,"DejaVu Sans Mono",monospace;
font-size:.82em}
pre{background:var(--soft);padding:.7rem .9rem;margin:.5rem 0;white-space:pre-wrap;
overflow-wrap:anywhere;line-height:1.45}
.hash{font-size:.74em;word-break:break-all}
.boards{display:flex;flex-wrap:wrap;gap:1.3rem 1.6rem;margin:1rem 0;padding:0}
figure{margin:0;min-width:10.6rem;max-width:100%}
figure svg{display:block;max-width:100%;height:auto}
figcaption{font-size:.84rem;line-height:1.4;margin-top:.35rem;max-width:15rem;
overflow-wrap:anywhere}
figcaption .remark{display:block;color:var(--quiet)}
figcaption .wrong{display:block;color:var(--bad)}
.pair{display:flex;flex-wrap:wrap;gap:.9rem}
.pair span{display:block;font-size:.78rem;color:var(--quiet)}
.chart{display:block;max-width:100%;height:auto;margin:.6rem 0;font-size:12px}
.chart text{text-anchor:middle;fill:var(--ink);font-family:inherit;
font-variant-numeric:tabular-nums}
.chart .axis{fill:var(--quiet)}.chart .good{fill:var(--bar)}.chart .bad{fill:var(--paper)}
.chart .hatch{stroke:var(--bad);stroke-width:3}.chart .floor{stroke:var(--quiet);fill:none}
@media screen and (prefers-color-scheme:dark){
:root{--paper:#16191e;--ink:#dfe3ea;--quiet:#a0a8b4;--rule:#333a45;--soft:#1e232b;--good:#7fc992;
--bad:#f19a92;--open:#e3b566;--bar:#7489a3}}
@media print{
@page{margin:18mm 16mm}
body{font-size:10.5pt}main{max-width:none;padding:0}
h2,h3,h2+p,h3+p{break-after:avoid}
figure,tr,blockquote,.chart{break-inside:avoid}
.scroll{overflow:visible}a{color:inherit;text-decoration:none}
*{-webkit-print-color-adjust:exact;print-color-adjust:exact}}
"""
    + BOARD_STYLE
)
