/** A plain, readable style: a column of at most 46 em, code on light grey, thin lines around tables (catalogue). */
const STYLE = `
body { font-family: 'Noto Sans', sans-serif; line-height: 1.5; max-width: 46em; margin: 2em auto; padding: 0 1em; color: #1a1a1a; }
h1, h2, h3, h4, h5, h6 { line-height: 1.25; margin: 1.5em 0 0.5em; break-after: avoid; }
pre, code { font-family: 'Noto Sans Mono', ui-monospace, monospace; font-size: 0.9em; background: #f2f2f2; border-radius: 3px; }
math { font-family: 'Noto Sans Math', 'STIX Two Math', 'Cambria Math', math; }
math[display='block'] { margin: 1em 0; break-inside: avoid; }
code { padding: 0.1em 0.3em; }
pre { padding: 0.8em 1em; overflow-x: auto; white-space: pre-wrap; break-inside: avoid; }
pre code { padding: 0; background: none; }
table { border-collapse: collapse; margin: 1em 0; }
th, td { border: 1px solid #ccc; padding: 0.3em 0.7em; text-align: start; }
th { background: #f7f7f7; }
tr, img, blockquote { break-inside: avoid; }
img { max-width: 100%; }
blockquote { border-inline-start: 3px solid #ccc; margin: 1em 0; padding: 0 1em; color: #555; }
a { color: #0b57d0; }
li.task { list-style: none; }
li.task input { appearance: none; box-sizing: border-box; width: 0.9em; height: 0.9em; margin-block: 0; margin-inline: -1.3em 0.4em; border: 1px solid #555; border-radius: 2px; vertical-align: -0.08em; }
li.task input:checked::before { content: ''; display: block; width: 0.25em; height: 0.5em; margin: 0 auto; border: solid #1a1a1a; border-width: 0 0.13em 0.13em 0; transform: rotate(45deg); }
sup { line-height: 0; }
sup a { text-decoration: none; }
.footnotes { font-size: 0.9em; }
.footnotes-sep { border: 0; border-top: 1px solid #ccc; margin: 2em 0 1em; width: 33%; break-after: avoid; margin-inline-start: 0; }
@media print { body { margin: 0; padding: 0; max-width: none; } }
`

const escaped = (text: string): string => text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`)

export interface WholePage {
  title: string
  language?: string | undefined
  author?: string | undefined
  body: string
  /** Rules for the pages on which it is printed, CSS. */
  paper?: string
}

/** A complete HTML page with its own style. */
export function wholePage({ title, language, author, body, paper }: WholePage): string {
  return `<!DOCTYPE html>
<html${language === undefined ? '' : ` lang="${escaped(language)}"`}>
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(title)}</title>${author === undefined ? '' : `\n<meta name="author" content="${escaped(author)}">`}
<style>${STYLE}${paper === undefined ? '' : `${paper}\n`}</style>
</head>
<body>
${body}</body>
</html>
`
}
