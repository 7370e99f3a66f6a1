import type { FinishedOutput } from '../../local/output-paths.ts'
import type { JobOutcome } from '../../local/planned-run.ts'
import { packageVersion } from '../../root.ts'
import { counted, readableSize } from '../../wording.ts'
import { markupText } from '../output/escape.ts'
import { shortTime } from '../output/pace.ts'
import { totalsOf } from '../output/run-totals.ts'
import { percentChange } from '../output/text.ts'
import { inputText, type RunFacts, sizeText, stateOf } from './run-facts.ts'
import { STYLES } from './styles.ts'

/** The pictures of a job, as `data:` URLs. */
export interface Pictures {
  before?: string | undefined
  /** By the path of the output. */
  after: ReadonlyMap<string, string>
}

/** Outputs of a job that are listed; a split video can have thousands. */
const MAX_OUTPUTS = 12

const picture = (url: string | undefined, name: string): string =>
  url === undefined ? '' : `<img src="${url}" alt="${markupText(name)}" loading="lazy">`

const figure = (url: string | undefined, name: string, details: string): string =>
  `<figure>${picture(url, name)}<figcaption>${markupText(name)} ${details}</figcaption></figure>\n`

/** The change in size of an output, coloured. */
function changeMarkup(before: number | undefined, after: number): string {
  if (!before) return ''
  const text = percentChange(before, after)
  const kind = text.startsWith('−') ? 'smaller' : text.startsWith('+') ? 'larger' : ''
  return ` <span class="${kind}">${text}</span>`
}

function outputsMarkup(outcome: JobOutcome, outputs: readonly FinishedOutput[], after: Pictures['after']): string {
  const before = outcome.ok && !outcome.skipped ? outcome.inputBytes : undefined
  const shown = outputs.slice(0, MAX_OUTPUTS).map(({ path, bytes, variant }) => {
    const details = [variant, sizeText(bytes)].filter((part) => part !== undefined && part !== '')
    const name = path === '-' ? 'standard output' : path
    // Each variant is the whole input; the parts of a set are not.
    const change = outputs.length === 1 || variant !== undefined ? changeMarkup(before, bytes) : ''
    return figure(after.get(path), name, `<span>${markupText(details.join(', '))}</span>${change}`)
  })
  const rest = outputs.length - MAX_OUTPUTS
  return shown.join('') + (rest > 0 ? `<p class="quiet">and ${counted(rest, 'other file')}</p>` : '')
}

function articleFor(facts: RunFacts, outcome: JobOutcome, index: number, { before, after }: Pictures): string {
  const name = inputText(facts.run.jobs[index])
  const state = stateOf(outcome)
  const heading = `<header><h2>${markupText(name)}</h2><span class="badge ${state}">${state}, ${shortTime(outcome.ms)}</span></header>\n`
  const error = outcome.ok
    ? ''
    : `<p class="error">${markupText(outcome.error.message)} (${outcome.error.code})${outcome.error.hint ? `<br>${markupText(outcome.error.hint)}` : ''}</p>\n`
  const input = outcome.ok && outcome.inputBytes !== undefined ? `<span>${sizeText(outcome.inputBytes)}</span>` : ''
  const pair =
    outcome.ok && outcome.outputs.length > 0
      ? `<div class="pair">${facts.run.jobs[index]?.items.length ? figure(before, 'before', input) : ''}${outputsMarkup(outcome, outcome.outputs, after)}</div>\n`
      : ''
  const steps = outcome.ok ? (outcome.steps ?? []).map(({ tool, ms }) => `${tool} ${shortTime(ms)}`) : []
  const times = steps.length > 1 ? `<p class="steps quiet">${markupText(`Steps: ${steps.join(', ')}`)}</p>\n` : ''
  const notes = outcome.warnings.map((warning) => `<li>${markupText(warning)}</li>`).join('')
  return `<article>\n${heading}${error}${pair}${times}${notes && `<ul class="notes">${notes}</ul>\n`}</article>\n`
}

function totalsMarkup({ outcomes, run, ms }: RunFacts): string {
  const { jobs, done, failed, skipped, warnings, bytesBefore, bytesAfter } = totalsOf(outcomes)
  const notStarted = run.jobs.length - jobs
  const cells: [string, string][] = [
    [String(done), 'done'],
    ...(failed > 0 ? [[String(failed), 'failed'] as [string, string]] : []),
    ...(skipped > 0 ? [[String(skipped), 'up to date'] as [string, string]] : []),
    ...(notStarted > 0 ? [[String(notStarted), 'not started'] as [string, string]] : []),
    ...(bytesBefore > 0
      ? [
          [`${readableSize(bytesBefore)} → ${readableSize(bytesAfter)}`, percentChange(bytesBefore, bytesAfter)] as [
            string,
            string,
          ],
        ]
      : []),
    ...(warnings > 0 ? [[String(warnings), warnings === 1 ? 'warning' : 'warnings'] as [string, string]] : []),
    [shortTime(ms), 'total time'],
  ]
  return `<ul class="totals">${cells.map(([value, label]) => `<li><b>${value}</b><span class="quiet">${label}</span></li>`).join('')}</ul>\n`
}

function settingsMarkup({ run }: RunFacts): string {
  const entries = Object.entries(run.settings ?? {}).filter(([, value]) => value !== undefined)
  if (entries.length === 0) return ''
  const shown = entries.map(([name, value]) => {
    const text = typeof value === 'string' ? value : JSON.stringify(value)
    return `<div><dt>${markupText(name)}</dt><dd>${markupText(text)}</dd></div>`
  })
  return `<dl class="settings">${shown.join('')}</dl>\n`
}

/**
 * A run as one HTML page without scripts and external files. Names are escaped, and the policy of the page allows only
 * embedded pictures and styles.
 * @param pictures of each outcome; fewer if there are too many
 */
export function htmlReport(facts: RunFacts, pictures: readonly Pictures[], date: Date): string {
  const { run, outcomes } = facts
  const none: Pictures = { after: new Map() }
  const articles = outcomes.map((outcome, index) => articleFor(facts, outcome, index, pictures[index] ?? none))
  const left = outcomes.length - pictures.length
  const footnote = left > 0 ? `Thumbnails are shown for the first ${pictures.length} inputs. ` : ''
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; img-src data:; style-src 'unsafe-inline'">
<meta name="color-scheme" content="light dark">
<title>${markupText(run.name)} – mediaproc report</title>
<style>${STYLES}</style>
</head>
<body>
<main>
<h1>${markupText(run.name)}</h1>
${settingsMarkup(facts)}${totalsMarkup(facts)}${articles.join('')}<footer>${footnote}mediaproc ${packageVersion()}, ${date.toISOString().replace(/\.\d+Z$/, 'Z')}</footer>
</main>
</body>
</html>
`
}
