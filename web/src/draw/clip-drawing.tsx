/** A part or moments of a video or audio file, with a player. */
import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { Icon } from '../app/icons.tsx'
import { STRINGS } from '../strings.ts'
import { type Clip, clipIn, momentsOf, momentsText, timeText, type View, withClip, zoomed } from './clip.ts'
import type { DrawingProps } from './drawing-props.ts'
import type { ClipDrawing, TextDrawing } from './drawings.ts'
import { type Media, openMedia } from './media.ts'
import { clamp } from './rectangle.ts'
import { followPointer } from './stage.tsx'
import { placeIn, TimeHandle, Track } from './track.tsx'
import { useLoaded } from './use-loaded.ts'

interface Props extends DrawingProps {
  drawing: ClipDrawing | TextDrawing
  file: File
}

export function ClipOfMedia(props: Props): JSX.Element {
  const { draw } = STRINGS
  const { value: media, failure } = useLoaded(() => openMedia(props.file), [props.file])
  useEffect(() => () => media && URL.revokeObjectURL(media.address), [media])
  if (failure !== undefined)
    return (
      <p class="faint">
        {draw.failed(failure)} {draw.noMedia}
      </p>
    )
  return media ? <Opened {...props} media={media} /> : <p class="faint">{draw.drawing}</p>
}

function Opened({ drawing, file, media, values, onValues }: Props & { media: Media }): JSX.Element {
  const { draw } = STRINGS
  const { duration } = media
  const player = useRef<HTMLVideoElement>(null)
  const track = useRef<HTMLDivElement | null>(null)
  const view = useSignal<View>({ from: 0, length: duration })
  const now = useSignal(0)
  const clip = drawing.kind === 'clip' ? clipIn(drawing, values, duration) : undefined
  const moments = drawing.kind === 'clip' ? [] : momentsOf(values[drawing.row.name])
  useEffect(() => {
    if (drawing.kind === 'clip' && drawing.end.required && values[drawing.end.name] === undefined && clip)
      onValues(withClip(drawing, values, clip, duration))
  }, [media])
  /** Shows a moment in the player, as far as it has one. */
  const show = (second: number): void => {
    if (player.current && second <= media.shown) player.current.currentTime = Math.min(second, media.shown - 0.01)
  }
  const setClip = (next: Clip, fixed: keyof Clip): void => {
    if (drawing.kind !== 'clip') return
    onValues(withClip(drawing, values, next, duration, fixed))
    show(fixed === 'end' ? next.start : next.end)
  }
  const setMoments = (next: readonly number[]): void => {
    if (drawing.kind !== 'clip') onValues({ ...values, [drawing.row.name]: momentsText(next) })
  }
  const zoom = (factor: number): void => {
    const around = clip
      ? clip.end - clip.start < view.value.length
        ? (clip.start + clip.end) / 2
        : clip.start
      : now.value
    view.value = zoomed(view.value, factor, around, duration)
  }
  const moveClip = (event: PointerEvent): void => {
    if (!clip || !track.current || event.button !== 0) return
    const size = { width: view.value.length, height: 1 }
    let from: number | undefined
    followPointer(track.current, event, size, ({ x }) => {
      from ??= x
      const start = clamp(clip.start + x - from, 0, duration - (clip.end - clip.start))
      setClip({ start, end: start + clip.end - clip.start }, 'end')
    })
  }
  const seekTo = (event: PointerEvent): void => {
    if (!track.current || event.button !== 0 || event.target !== track.current) return
    const box = track.current.getBoundingClientRect()
    show(view.value.from + ((event.clientX - box.left) / box.width) * view.value.length)
  }
  return (
    <div class="stack tight">
      <Player {...{ media, player, clip }} name={file.name} onTime={(second) => (now.value = second)} />
      {/* Keys have the handles; a click is a short cut to what the player offers. */}
      <div class="track-frame" onPointerDown={seekTo}>
        <Track {...{ media, file, track }} view={view.value}>
          {clip && (
            <>
              <span
                class="track-shade"
                style={{
                  '--width': placeIn(
                    clamp(clip.start, view.value.from, view.value.from + view.value.length),
                    view.value,
                  ),
                }}
              />
              <span
                class="track-shade after"
                style={{
                  '--left': placeIn(clamp(clip.end, view.value.from, view.value.from + view.value.length), view.value),
                }}
              />
              <span
                class="track-part"
                style={{
                  '--left': placeIn(Math.max(clip.start, view.value.from), view.value),
                  '--width': `${(Math.max(0, Math.min(clip.end, view.value.from + view.value.length) - Math.max(clip.start, view.value.from)) / view.value.length) * 100}%`,
                }}
                onPointerDown={moveClip}
              />
            </>
          )}
          <span
            class="playhead"
            style={{
              '--left': placeIn(clamp(now.value, view.value.from, view.value.from + view.value.length), view.value),
            }}
          />
          {clip && (
            <>
              <TimeHandle
                {...{ track, least: 0, most: duration, side: 'start', name: draw.start, at: clip.start }}
                view={view.value}
                onChange={(start) => setClip({ start, end: clip.end }, 'end')}
              />
              <TimeHandle
                {...{ track, least: 0, most: duration, side: 'end', name: draw.end, at: clip.end }}
                view={view.value}
                onChange={(end) => setClip({ start: clip.start, end }, 'start')}
              />
            </>
          )}
          {moments.map((at, index) => (
            <TimeHandle
              // A moment has no identity besides its place in the list.
              key={index}
              {...{ track, at, least: 0, most: duration, name: draw.moment(index + 1, timeText(at)) }}
              view={view.value}
              onChange={(second) => {
                setMoments(moments.map((one, other) => (other === index ? second : one)))
                show(second)
              }}
              onRemove={() => setMoments(moments.filter((_, other) => other !== index))}
            />
          ))}
        </Track>
      </div>
      {view.value.length < duration && (
        <input
          type="range"
          min={0}
          max={duration - view.value.length}
          step="any"
          value={view.value.from}
          aria-label={draw.shownPart}
          onInput={(event) => {
            view.value = { ...view.value, from: Number(event.currentTarget.value) }
          }}
        />
      )}
      <div class="row apart">
        <div class="row">
          {clip ? (
            <>
              <button
                type="button"
                class="plain small-button"
                onClick={() => setClip({ start: now.value, end: Math.max(clip.end, now.value) }, 'end')}
              >
                {draw.startHere}
              </button>
              <button
                type="button"
                class="plain small-button"
                onClick={() => setClip({ start: Math.min(clip.start, now.value), end: now.value }, 'start')}
              >
                {draw.endHere}
              </button>
            </>
          ) : (
            <button
              type="button"
              class="plain small-button"
              onClick={() => setMoments([...moments, now.value].sort((one, other) => one - other))}
            >
              {draw.addMoment}
            </button>
          )}
          <span class="zoom-pair">
            <button type="button" class="icon-button" aria-label={draw.zoomIn} onClick={() => zoom(0.5)}>
              <Icon name="plus" size={16} />
            </button>
            <button
              type="button"
              class="icon-button"
              aria-label={draw.zoomOut}
              disabled={view.value.length >= duration}
              onClick={() => zoom(2)}
            >
              <Icon name="minus" size={16} />
            </button>
          </span>
        </div>
        <span class="faint small">
          {clip && `${timeText(clip.start)} – ${timeText(clip.end)} · ${draw.length(timeText(clip.end - clip.start))}`}
        </span>
      </div>
      {media.shown < duration - 0.5 && <p class="small faint">{draw.beginning(Math.round(media.shown))}</p>}
      <p class="faint small">{draw.clipHelp}</p>
    </div>
  )
}

interface PlayerProps {
  media: Media
  player: { current: HTMLVideoElement | null }
  clip: Clip | undefined
  name: string
  onTime(second: number): void
}

/** The player of the browser, and a button that plays only the part. */
function Player({ media, player, clip, name, onTime }: PlayerProps): JSX.Element {
  const { draw, results } = STRINGS
  const until = useRef<number | undefined>(undefined)
  const isPlaying = useSignal(false)
  const toggle = (): void => {
    const video = player.current
    if (!video || !clip) return
    if (isPlaying.value) {
      video.pause()
      return
    }
    video.currentTime = clip.start
    until.current = clip.end
    video.play().catch(() => undefined)
  }
  return (
    <div class="stack tight">
      {/* biome-ignore lint/a11y/useMediaCaption: the file of the user */}
      <video
        ref={player}
        class={media.isVideo ? 'media clip-video' : 'media clip-audio'}
        controls
        playsInline
        preload="auto"
        src={media.address}
        aria-label={results.playerOf(name)}
        onPlay={() => (isPlaying.value = true)}
        onPause={() => {
          isPlaying.value = false
          until.current = undefined
        }}
        onTimeUpdate={({ currentTarget }) => {
          onTime(currentTarget.currentTime)
          if (until.current !== undefined && currentTarget.currentTime >= until.current) currentTarget.pause()
        }}
        onSeeked={({ currentTarget }) => onTime(currentTarget.currentTime)}
      />
      {clip && (
        <div class="row">
          <button type="button" class="plain small-button" onClick={toggle}>
            {isPlaying.value ? draw.pause : draw.play}
          </button>
        </div>
      )}
    </div>
  )
}
