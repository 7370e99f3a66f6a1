/** A waveform or film strip with handles. */
import type { ComponentChildren, JSX, RefObject } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { stepOf, timeText, type View } from './clip.ts'
import { closeVideo, openVideo } from './film.ts'
import type { Media } from './media.ts'
import { clamp } from './rectangle.ts'
import { waveformByServer } from './server-waveform.ts'
import { followPointer } from './stage.tsx'
import { drawStrip } from './strip.ts'
import { useLoaded } from './use-loaded.ts'
import { decodeWaveform, drawWaveform } from './waveform.ts'

/** Pause before a strip is drawn for another view, ms. */
const QUIET = 150

/** Draws the canvas again for another view or size. */
function useDrawing(
  canvas: RefObject<HTMLCanvasElement | null>,
  media: Media,
  file: File,
  view: View,
): string | undefined {
  const source = useLoaded(
    async (stop) => {
      if (media.isVideo) return { video: await openVideo(media.blob) }
      const waveform = await decodeWaveform(file, media.duration)
      return waveform ? { waveform } : { address: await waveformByServer(file, stop) }
    },
    [media],
  )
  const { video, waveform, address } = source.value ?? {}
  useEffect(() => {
    const stop = new AbortController()
    const draw = (): void => {
      const surface = canvas.current
      if (!surface) return
      const ratio = Math.min(2, devicePixelRatio)
      surface.width = Math.max(1, Math.round(surface.clientWidth * ratio))
      surface.height = Math.max(1, Math.round(surface.clientHeight * ratio))
      if (waveform) drawWaveform(surface, waveform, view)
      else if (video) drawStrip(surface, video, view, media.shown, stop.signal).catch(() => undefined)
    }
    const timer = setTimeout(draw, video ? QUIET : 0)
    return () => {
      clearTimeout(timer)
      stop.abort()
    }
  }, [source.value, view.from, view.length])
  useEffect(
    () => () => {
      if (video) closeVideo(video)
      if (address) URL.revokeObjectURL(address)
    },
    [source.value],
  )
  return address
}

interface TrackProps {
  media: Media
  file: File
  view: View
  track: RefObject<HTMLDivElement | null>
  children: ComponentChildren
}

export function Track({ media, file, view, track, children }: TrackProps): JSX.Element {
  const canvas = useRef<HTMLCanvasElement>(null)
  const address = useDrawing(canvas, media, file, view)
  const zoom = media.duration / view.length
  return (
    <div ref={track} class="track" data-video={media.isVideo}>
      <div class="track-picture" aria-hidden="true">
        <canvas ref={canvas} />
        {address && (
          <img
            src={address}
            alt=""
            style={{ '--zoom': `${zoom * 100}%`, '--shift': `${(-view.from / view.length) * 100}%` }}
          />
        )}
      </div>
      {children}
    </div>
  )
}

/** The place of a moment on a track. */
export const placeIn = (second: number, { from, length }: View): string => `${((second - from) / length) * 100}%`

interface HandleProps {
  name: string
  at: number
  view: View
  /** Range that the handle can be moved in. */
  least: number
  most: number
  track: RefObject<HTMLDivElement | null>
  side?: 'start' | 'end'
  onChange(second: number): void
  onRemove?(): void
}

export function TimeHandle(props: HandleProps): JSX.Element | null {
  const { name, at, view, least, most, track, side, onChange, onRemove } = props
  const onKeyDown = (event: KeyboardEvent): void => {
    const step = stepOf(view) * (event.shiftKey ? 10 : 1)
    const targets: Record<string, number> = {
      ...{ ArrowLeft: at - step, ArrowDown: at - step, ArrowRight: at + step, ArrowUp: at + step },
      ...{ PageDown: at - 10 * step, PageUp: at + 10 * step, Home: least, End: most },
    }
    const target = targets[event.key]
    if (target !== undefined) onChange(clamp(target, least, most))
    else if (onRemove && (event.key === 'Delete' || event.key === 'Backspace')) onRemove()
    else return
    event.preventDefault()
  }
  return (
    <span
      class="time-handle"
      data-side={side}
      data-hidden={at < view.from - 1e-6 || at > view.from + view.length + 1e-6}
      style={{ '--left': placeIn(clamp(at, view.from, view.from + view.length), view) }}
      role="slider"
      tabIndex={0}
      aria-label={name}
      aria-valuemin={least}
      aria-valuemax={most}
      aria-valuenow={at}
      aria-valuetext={timeText(at)}
      onKeyDown={onKeyDown}
      onPointerDown={(event) => {
        if (!track.current || event.button !== 0) return
        event.currentTarget.focus()
        const size = { width: view.length, height: 1 }
        followPointer(track.current, event, size, ({ x }) => onChange(clamp(view.from + x, least, most)))
      }}
    />
  )
}
