/** The effect of the settings on a small copy, while they are changed. */
import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { useEffect } from 'preact/hooks'
import { ApiError, sentenceOf } from '../api/call.ts'
import type { ToolForm } from '../api/types.ts'
import { store, stored } from '../app/storage.ts'
import { useLoaded } from '../draw/use-loaded.ts'
import type { Values } from '../forms/values.ts'
import { Compare } from '../run/compare.tsx'
import { STRINGS } from '../strings.ts'
import { askPreview } from './ask.ts'
import { smallCopy } from './copy.ts'
import { scaledSettings } from './scaled.ts'
import '../styles/draw.css'

/** Pause after the last change before a preview is requested, ms. */
const QUIET = 350

/** Where this browser keeps whether previews are wanted. */
const KEY = 'mediaproc:live-preview'

interface Props {
  tool: ToolForm
  file: File
  values: Values
}

export function LivePreview({ tool, file, values }: Props): JSX.Element {
  const { live } = STRINGS
  const isOn = useSignal(stored(KEY) !== 'off')
  const made = useSignal<string | undefined>(undefined)
  const note = useSignal('')
  const { value: copy, failure } = useLoaded(
    () => (isOn.value ? smallCopy(file) : Promise.resolve(undefined)),
    [file, isOn.value],
  )
  const settings = copy && scaledSettings(tool.settings, values, copy.scale, copy.picture)
  const wanted = settings && JSON.stringify(settings)
  const show = (address: string | undefined): void => {
    if (made.value) URL.revokeObjectURL(made.value)
    made.value = address
  }
  useEffect(() => () => copy && URL.revokeObjectURL(copy.address), [copy])
  useEffect(() => () => show(undefined), [])
  useEffect(() => {
    if (!copy || wanted === undefined) {
      show(undefined)
      note.value = copy ? live.none : ''
      return
    }
    const stop = new AbortController()
    const ask = async (): Promise<void> => {
      const blob = await askPreview(`${tool.section}/${tool.id}`, copy.file, JSON.parse(wanted), stop.signal)
      if (stop.signal.aborted) return
      show(blob && URL.createObjectURL(blob))
      note.value = blob ? '' : live.busy
    }
    const timer = setTimeout(() => {
      ask().catch((error: unknown) => {
        if (stop.signal.aborted) return
        show(undefined)
        // A tool that needs more settings than the form can know.
        const isIncomplete = error instanceof ApiError && error.status === 400
        note.value = isIncomplete ? live.none : live.failed(sentenceOf(error))
        // More requests would only be refused as well: previews give way to runs.
        if (error instanceof ApiError && (error.status === 429 || error.status === 402)) isOn.value = false
      })
    }, QUIET)
    return () => {
      clearTimeout(timer)
      stop.abort()
    }
  }, [copy, wanted])
  return (
    <section class="card drawing live" aria-label={live.title}>
      <div class="row apart">
        <h2>{live.title}</h2>
        <label class="inline-field">
          <span>{live.on}</span>
          <input
            type="checkbox"
            role="switch"
            class="switch"
            checked={isOn.value}
            aria-checked={isOn.value}
            onChange={({ currentTarget: { checked } }) => {
              isOn.value = checked
              store(KEY, checked ? undefined : 'off')
              if (!checked) note.value = ''
            }}
          />
        </label>
      </div>
      {isOn.value && copy && made.value && (
        <Compare before={copy.address} after={made.value} name={file.name} hasSizes={false} />
      )}
      {(note.value || failure) && <p class="faint small">{failure ? live.failed(failure) : note.value}</p>}
      {isOn.value && made.value && <p class="faint small">{live.label}</p>}
    </section>
  )
}
