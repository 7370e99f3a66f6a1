/** What a tool reports: values, lists as tables, texts. */
import type { JSX } from 'preact'
import { labelOf } from '../../../src/tool/settings.ts'
import { CopyButton } from '../app/copy-button.tsx'
import { lazily } from '../app/lazily.tsx'
import { STRINGS } from '../strings.ts'
import { Histogram } from './histogram.tsx'
import { histogramOf, outlinesIn } from './report-shapes.ts'
import { Table } from './table.tsx'
import '../styles/view.css'

/** Most rows of a table, and letters of a text, that are shown. */
const MOST_ROWS = 200
const MOST_LETTERS = 20_000

type Item = Record<string, unknown>

const isItem = (value: unknown): value is Item => typeof value === 'object' && value !== null && !Array.isArray(value)

/** `meanBrightness` in words, spelt as the settings: `Mean brightness`. */
const inWords = (name: string): string => labelOf(name.replaceAll('_', '-'), {})

function ItemTable({ items }: { items: readonly Item[] }): JSX.Element {
  const columns = [...new Set(items.flatMap((item) => Object.keys(item)))]
  const rows = items.slice(0, MOST_ROWS).map((item) => columns.map((column) => plain(item[column])))
  const note = items.length > MOST_ROWS ? STRINGS.results.cutRows(MOST_ROWS, items.length) : ''
  return <Table head={columns.map(inWords)} rows={rows} note={note} />
}

function plain(value: unknown): string {
  if (value === undefined || value === null) return '–'
  if (typeof value === 'object') return JSON.stringify(value)
  return String(value)
}

const isColor = (value: string): boolean => /^#[0-9a-f]{6}([0-9a-f]{2})?$/i.test(value)

function Value({ value }: { value: unknown }): JSX.Element {
  if (Array.isArray(value) && value.length > 0 && value.every(isItem)) return <ItemTable items={value} />
  if (Array.isArray(value) && value.every((one) => typeof one === 'string' && isColor(one)))
    return (
      <span class="swatches">
        {(value as string[]).map((color) => (
          <span key={color} class="swatch">
            <span style={{ background: color }} />
            <code>{color}</code>
          </span>
        ))}
      </span>
    )
  const channels = histogramOf(value)
  if (channels) return <Histogram channels={channels} />
  if (isItem(value)) return <Values value={value} />
  if (typeof value === 'string' && value.startsWith('data:image/')) return <img src={value} alt="" />
  if (typeof value === 'string' && (value.includes('\n') || value.length > 200))
    return (
      <>
        <pre>{value.slice(0, MOST_LETTERS)}</pre>
        {value.length > MOST_LETTERS && <p class="faint small">{STRINGS.results.cutReport}</p>}
      </>
    )
  return <span>{plain(value)}</span>
}

function Values({ value }: { value: Item }): JSX.Element {
  return (
    <dl class="values">
      {Object.entries(value).map(([name, part]) => (
        <div key={name}>
          <dt>{inWords(name)}</dt>
          <dd>
            <Value value={part} />
          </dd>
        </div>
      ))}
    </dl>
  )
}

const Positions = lazily(async () => (await import('./report-pictures.tsx')).Positions)

interface ReportProps {
  value: Item
  isOpen: boolean
  /** The picture that the report is about. */
  picture: File | undefined
}

export function Report({ value, isOpen, picture }: ReportProps): JSX.Element {
  const { results } = STRINGS
  const outlines = picture ? outlinesIn(value) : []
  return (
    <details class="report" open={isOpen}>
      <summary>{results.report}</summary>
      <div class="stack tight">
        {picture && outlines.length > 0 && <Positions original={picture} outlines={outlines} />}
        <Values value={value} />
        <div class="row">
          <CopyButton text={JSON.stringify(value, null, 2)} label={results.copyJson} />
        </div>
      </div>
    </details>
  )
}
