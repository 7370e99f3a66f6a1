/** A part of a media file in the values of a form, in seconds. */
import type { Values } from '../forms/values.ts'
import type { ClipDrawing } from './drawings.ts'
import { clamp } from './rectangle.ts'

export interface Clip {
  start: number
  end: number
}

/** Shortest part, in seconds. */
const LEAST = 0.01

const toMilliseconds = (seconds: number): number => Math.round(seconds * 1000) / 1000

const numberIn = (values: Values, row: ClipDrawing['start']): number | undefined => {
  const value = values[row.name] ?? row.default
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined
}

/** The part that the form selects; to the end of the file while it has no end. @param duration of the file */
export function clipIn({ start, end, isLength }: ClipDrawing, values: Values, duration: number): Clip {
  const from = clamp(numberIn(values, start) ?? 0, 0, duration)
  const given = numberIn(values, end)
  const to = given === undefined ? duration : isLength ? from + given : given
  return { start: from, end: clamp(to, from, duration) }
}

/** Values with a part. @param fixed the end that stays when the part would be too short or too long */
export function withClip(
  drawing: ClipDrawing,
  values: Values,
  clip: Clip,
  duration: number,
  fixed: keyof Clip = 'start',
): Values {
  const { start: startRow, end: endRow, isLength } = drawing
  const most = isLength ? (endRow.max ?? duration) : duration
  const least = Math.min(isLength ? Math.max(LEAST, endRow.min ?? 0) : LEAST, duration)
  const [from, to] = [clamp(clip.start, 0, duration), clamp(clip.end, 0, duration)]
  const length = clamp(to - from, least, Math.min(most, duration))
  const start = fixed === 'start' ? clamp(from, 0, duration - length) : clamp(to, length, duration) - length
  const end = start + length
  return {
    ...values,
    [startRow.name]: toMilliseconds(start),
    // Rounded down: a part must not end after the file.
    [endRow.name]: isLength ? toMilliseconds(length) : Math.floor(end * 1000 + 1e-6) / 1000,
  }
}

/** Moments of a text such as `1.5,5`; what is no number is left out. */
export function momentsOf(value: unknown): number[] {
  const items = Array.isArray(value)
    ? value
    : String(value ?? '')
        .replace(/^\[(.*)\]$/, '$1')
        .split(',')
  return items.flatMap((item) => {
    const text = String(item).trim()
    return /^\d+(\.\d+)?$/.test(text) ? [Number(text)] : []
  })
}

export const momentsText = (moments: readonly number[]): string => moments.map(toMilliseconds).join(',')

/** `75.25` as `1:15.25`. */
export function timeText(seconds: number): string {
  const whole = Math.floor(seconds * 100 + 0.5) / 100
  const [hours, minutes] = [Math.floor(whole / 3600), Math.floor((whole % 3600) / 60)]
  const rest = (whole % 60).toFixed(2).padStart(5, '0')
  return hours > 0 ? `${hours}:${String(minutes).padStart(2, '0')}:${rest}` : `${minutes}:${rest}`
}

/** What a track shows of a file, in seconds. */
export interface View {
  from: number
  length: number
}

/** A view of another length around a moment, inside the file. */
export function zoomed(view: View, factor: number, around: number, duration: number): View {
  const length = clamp(view.length * factor, Math.min(0.5, duration), duration)
  return { from: clamp(around - length / 2, 0, duration - length), length }
}

/** A step of the keyboard that moves a handle visibly, in seconds. */
export const stepOf = ({ length }: View): number => Math.max(0.01, Number((length / 500).toPrecision(1)))
