/** The style of the HTML report: system fonts and colours for light and dark screens, and for printing. */
export const STYLES = `
:root { color-scheme: light dark; --text: #1c1e21; --quiet: #646a73; --page: #f4f5f7; --card: #fff; --line: #dfe2e6;
  --good: #1a7f37; --bad: #c22c2c; --note: #8a5a00; --note-page: #fff6df; --check: #e4e6ea; }
@media (prefers-color-scheme: dark) { :root { --text: #e6e8eb; --quiet: #9aa1ab; --page: #131519; --card: #1d2026;
  --line: #343942; --good: #4cc46a; --bad: #ff7b72; --note: #e3b341; --note-page: #2d2610; --check: #2a2e36; } }
* { box-sizing: border-box; }
body { margin: 0; padding: 2rem 1rem 3rem; background: var(--page); color: var(--text);
  font: 15px/1.5 system-ui, sans-serif; }
main { max-width: 70rem; margin: 0 auto; }
h1 { font-size: 1.5rem; margin: 0; overflow-wrap: anywhere; }
h2 { font-size: 1rem; margin: 0; overflow-wrap: anywhere; }
.quiet { color: var(--quiet); }
.totals { display: flex; flex-wrap: wrap; gap: .75rem; margin: 1.25rem 0; padding: 0; list-style: none; }
.totals li { flex: 1 1 9rem; background: var(--card); border: 1px solid var(--line); border-radius: 10px;
  padding: .7rem 1rem; }
.totals b { display: block; font-size: 1.25rem; font-variant-numeric: tabular-nums; }
.settings { display: flex; flex-wrap: wrap; gap: .25rem 1.25rem; margin: .5rem 0 0; font-size: .9rem; }
.settings dt { color: var(--quiet); display: inline; } .settings dd { display: inline; margin: 0 0 0 .35rem;
  overflow-wrap: anywhere; }
article { background: var(--card); border: 1px solid var(--line); border-radius: 10px; padding: 1rem; margin: .75rem 0;
  break-inside: avoid; }
header { display: flex; flex-wrap: wrap; gap: .25rem 1rem; align-items: baseline; justify-content: space-between; }
.badge { font-size: .8rem; font-weight: 600; color: var(--quiet); white-space: nowrap; }
.badge.done { color: var(--good); } .badge.failed { color: var(--bad); }
.pair { display: grid; grid-template-columns: repeat(auto-fit, minmax(14rem, 1fr)); gap: 1rem; margin-top: .75rem; }
figure { margin: 0; min-width: 0; }
figure img { display: block; max-width: 100%; max-height: 160px; border-radius: 6px;
  background: repeating-conic-gradient(var(--check) 0 25%, transparent 0 50%) 0 0 / 16px 16px; }
figcaption { font-size: .85rem; margin-top: .35rem; overflow-wrap: anywhere; }
figcaption span { color: var(--quiet); white-space: nowrap; }
.smaller { color: var(--good) !important; } .larger { color: var(--note) !important; }
.notes { margin: .75rem 0 0; padding: .5rem .75rem .5rem 1.75rem; background: var(--note-page); border-radius: 6px;
  font-size: .9rem; overflow-wrap: anywhere; }
.steps { font-size: .85rem; margin: .75rem 0 0; overflow-wrap: anywhere; }
.error { margin: .75rem 0 0; color: var(--bad); overflow-wrap: anywhere; }
footer { margin-top: 2rem; font-size: .85rem; color: var(--quiet); }
@media print { body { background: none; } }
`
