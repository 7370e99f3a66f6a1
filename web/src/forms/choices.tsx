import type { JSX } from 'preact'
import { STRINGS } from '../strings.ts'
import { inWords } from './control-of.ts'
import type { ControlProps } from './control-props.ts'

export function Switch({ id, value, onChange, describedBy }: ControlProps): JSX.Element {
  return (
    <input
      id={id}
      class="switch"
      type="checkbox"
      role="switch"
      checked={value === true}
      aria-checked={value === true}
      aria-describedby={describedBy}
      onChange={(event) => onChange(event.currentTarget.checked)}
    />
  )
}

/** The member of the list that a field's text means: numbers stay numbers. */
const memberOf = (row: ControlProps['row'], text: string): string | number | undefined =>
  row.enum?.find((word) => String(word) === text)

export function Select({ row, id, value, onChange, describedBy, isInvalid }: ControlProps): JSX.Element {
  return (
    <select
      id={id}
      aria-describedby={describedBy}
      aria-invalid={isInvalid}
      value={value === undefined ? '' : String(value)}
      onChange={(event) => onChange(memberOf(row, event.currentTarget.value))}
    >
      {(row.default === undefined || row.filledByTool) && (
        <option value="">
          {row.default === undefined ? STRINGS.form.notSet : STRINGS.form.automatic(inWords(String(row.default)))}
        </option>
      )}
      {row.enum?.map((word) => (
        <option key={word} value={String(word)}>
          {inWords(word)}
        </option>
      ))}
    </select>
  )
}

function Radio({
  id,
  word,
  isChecked,
  onChoose,
}: {
  id: string
  word: string | number
  isChecked: boolean
  onChoose(): void
}): JSX.Element {
  return (
    <label class="segment">
      <input type="radio" name={id} value={String(word)} checked={isChecked} onChange={onChoose} />
      <span>{inWords(word)}</span>
    </label>
  )
}

export function Segments({ row, id, value, onChange }: ControlProps): JSX.Element {
  return (
    <div class="segments">
      {row.enum?.map((word) => (
        <Radio key={word} id={id} word={word} isChecked={value === word} onChoose={() => onChange(word)} />
      ))}
    </div>
  )
}

const NINE = [0, 1, 2, 3, 4, 5, 6, 7, 8]

/** Positions as a grid of 3 × 3; words without a place beside it. */
export function Grid({
  id,
  value,
  onChange,
  cells,
  others,
}: ControlProps & { cells: ReadonlyMap<string, number>; others: readonly string[] }): JSX.Element {
  const wordAt = (cell: number): string | undefined => [...cells].find(([, at]) => at === cell)?.[0]
  return (
    <div class="row">
      <div class="grid-nine">
        {NINE.map((cell) => {
          const word = wordAt(cell)
          if (word === undefined) return <span key={cell} />
          return (
            <label key={cell} class="cell" title={STRINGS.form.places[cell]}>
              <input type="radio" name={id} value={word} checked={value === word} onChange={() => onChange(word)} />
              <span class="hidden">{STRINGS.form.places[cell]}</span>
            </label>
          )
        })}
      </div>
      {others.length > 0 && (
        <div class="segments">
          {others.map((word) => (
            <Radio key={word} id={id} word={word} isChecked={value === word} onChoose={() => onChange(word)} />
          ))}
        </div>
      )}
    </div>
  )
}
