/** A plain, readable style: a column of at most 46 em, code on light grey, thin lines around tables (catalogue). */
const STYLE = `
body { font-family: 'Noto Sans', sans-serif; line-height: 1.5; max-width: 46em; margin: 2em auto; padding: 0 1em; color: #1a1a1a; }
h1, h2, h3, h4, h5, h6 { line-height: 1.25; margin: 1.5em 0 0.5em; break-after: avoid; }
pre, code { font-family: 'Noto Sans Mono', ui-monospace, monospace; font-size: 0.9em; background: #f2f2f2; border-radius: 3px; }
code { padding: 0.1em 0.3em; }
pre { padding: 0.8em 1em; overflow-x: auto; white-space: pre-wrap; break-inside: avoid; }
pre code { padding: 0; background: none; }
table { border-collapse: collapse; margin: 1em 0; }
th, td { border: 1px solid #ccc; padding: 0.3em 0.7em; text-align: left; }
th { background: #f7f7f7; }
tr, img, blockquote { break-inside: avoid; }
img { max-width: 100%; }
blockquote { border-left: 3px solid #ccc; margin: 1em 0; padding: 0 1em; color: #555; }
a { color: #0b57d0; }
@media print { body { margin: 0; padding: 0; max-width: none; } }
`

const escaped = (text: string): string => text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`)

export interface WholePage {
  title: string
  language?: string | undefined
  body: string
}

/** A complete HTML page with its own style. */
export function wholePage({ title, language, body }: WholePage): string {
  return `<!DOCTYPE html>
<html${language === undefined ? '' : ` lang="${escaped(language)}"`}>
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(title)}</title>
<style>${STYLE}</style>
</head>
<body>
${body}</body>
</html>
`
}
