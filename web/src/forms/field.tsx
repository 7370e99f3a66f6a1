/** One row of a form: label, control, help and fault. */
import type { JSX } from 'preact'
import { STRINGS } from '../strings.ts'
import { Grid, Segments, Select, Switch } from './choices.tsx'
import { ColorControl } from './color.tsx'
import { type Control, controlOf } from './control-of.ts'
import type { ControlProps, FieldProps } from './control-props.ts'
import { Group, List, Words } from './lists.tsx'
import { NumberControl, SliderControl } from './numbers.tsx'
import { LineControl, LinesControl, SecretControl } from './texts.tsx'
import { faultOf } from './values.ts'
import { capital } from './wording.ts'

/** Controls that consist of several and are labelled as a group. */
const GROUPS = new Set<Control['kind']>(['segments', 'grid', 'list', 'group', 'words'])

function ControlFor({ control, ...props }: ControlProps & { control: Control }): JSX.Element {
  switch (control.kind) {
    case 'switch':
      return <Switch {...props} />
    case 'segments':
      return <Segments {...props} />
    case 'grid':
      return <Grid {...props} cells={control.cells} others={control.others} />
    case 'select':
      return <Select {...props} />
    case 'color':
      return <ColorControl {...props} />
    case 'number':
      return <NumberControl {...props} />
    case 'slider':
      return <SliderControl {...props} min={control.min} max={control.max} step={control.step} />
    case 'list':
      return <List {...props} FieldOf={Field} />
    case 'words':
      return <Words {...props} />
    case 'group':
      return <Group {...props} FieldOf={Field} />
    case 'secret':
      return <SecretControl {...props} />
    case 'lines':
      return <LinesControl {...props} />
    default:
      return <LineControl {...props} />
  }
}

export function Field({ row, id, value, onChange, isChecked }: FieldProps): JSX.Element {
  const control = controlOf(row)
  const found = faultOf(row, value)
  const fault = found && (isChecked || found.kind !== 'required') ? found : undefined
  const props = { row, id, value, onChange, describedBy: `${id}-help`, isInvalid: fault !== undefined }
  const label = (
    <>
      {row.label}
      {(row.required || row.needed) && <span class="faint"> {STRINGS.form.required}</span>}
    </>
  )
  const notes = (
    <p id={`${id}-help`} class="help">
      {capital(row.help)}
      {fault && <span class="fault"> {STRINGS.form.faults[fault.kind]?.(fault.limit ?? 0)}</span>}
    </p>
  )
  if (GROUPS.has(control.kind))
    return (
      <fieldset class="field" aria-describedby={`${id}-help`} id={`${id}-field`}>
        <legend>{label}</legend>
        <ControlFor {...props} control={control} />
        {notes}
      </fieldset>
    )
  return (
    <div class={control.kind === 'switch' ? 'field switch-field' : 'field'} id={`${id}-field`}>
      <label for={id}>{label}</label>
      <ControlFor {...props} control={control} />
      {notes}
    </div>
  )
}
