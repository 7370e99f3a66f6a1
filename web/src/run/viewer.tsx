/** A result as the browser can show it. Documents are never rendered as such: SVG is a picture, HTML is text. */
import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { useEffect } from 'preact/hooks'
import { addressOf, request, sentenceOf } from '../api/call.ts'
import { groups } from '../api/tools.ts'
import { extensionOf } from '../files/accept.ts'
import { kindOf } from '../files/kind.ts'
import { STRINGS } from '../strings.ts'
import { type Beginning, beginningOf } from './beginning.ts'
import { Compare } from './compare.tsx'
import { PdfPages } from './pdf-pages.tsx'
import { previewOf } from './preview.ts'
import type { ResultFile } from './result-files.ts'
import { fetchResult } from './save.ts'
import { TableOfText } from './text-table.tsx'

/** Bytes of a text that are shown. */
const MOST_TEXT = 100_000

function TextView({ file }: { file: ResultFile }): JSX.Element {
  const shown = useSignal<Beginning | undefined>(undefined)
  const failure = useSignal('')
  useEffect(() => {
    const stop = new AbortController()
    const load = async (): Promise<void> => {
      shown.value = await beginningOf(await request(file.url, { signal: stop.signal }), MOST_TEXT)
    }
    load().catch((error: unknown) => {
      if (!stop.signal.aborted) failure.value = sentenceOf(error)
    })
    return () => stop.abort()
  }, [file.url])
  if (failure.value) return <p class="faint">{failure.value}</p>
  if (!shown.value) return <p class="faint">{STRINGS.loading}</p>
  const { text, isCut } = shown.value
  if (kindOf(file.name) === 'table')
    return <TableOfText text={text} isCut={isCut} separator={file.name.endsWith('.tsv') ? '\t' : ','} />
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolled area must be reachable by keyboard */}
      <pre class="text-view" tabIndex={0}>
        {text}
      </pre>
      {isCut && <p class="faint small">{STRINGS.results.cutText}</p>}
    </>
  )
}

/** A picture next to its original. Types that browsers cannot show are converted by the server, for the view only. */
function ImageView({ file, original }: { file: ResultFile; original: File | undefined }): JSX.Element {
  const addresses = useSignal<{ before: string | undefined; after: string } | undefined>(undefined)
  const failure = useSignal('')
  useEffect(() => {
    const made: string[] = []
    let isGone = false
    const show = async (): Promise<void> => {
      const keep = (address: string): string => {
        // A preview that comes after the view has gone is not needed.
        if (isGone) URL.revokeObjectURL(address)
        else made.push(address)
        return address
      }
      const isPlain = kindOf(file.name) === 'image'
      const after = isPlain ? addressOf(file.url) : keep(await previewOf(await fetchResult(file)))
      const isPicture = original && groups.value.image?.includes(extensionOf(original.name))
      const before = original && isPicture ? keep(await previewOf(original).catch(() => '')) : undefined
      if (!isGone) addresses.value = { before: before || undefined, after }
    }
    show().catch((error: unknown) => {
      failure.value = sentenceOf(error)
    })
    return () => {
      isGone = true
      for (const address of made) URL.revokeObjectURL(address)
    }
  }, [file.url])
  if (failure.value) return <p class="faint">{failure.value}</p>
  if (!addresses.value) return <p class="faint">{STRINGS.loading}</p>
  return <Compare {...addresses.value} name={file.name} />
}

export function Viewer({ file, original }: { file: ResultFile; original: File | undefined }): JSX.Element | null {
  const kind = kindOf(file.name)
  const { results } = STRINGS
  if (kind === 'image' || groups.value.image?.includes(extensionOf(file.name)))
    return <ImageView file={file} original={original} />
  switch (kind) {
    case 'video':
      return (
        // biome-ignore lint/a11y/useMediaCaption: results have the captions that their tools made
        <video
          class="media"
          controls
          preload="metadata"
          src={addressOf(file.url)}
          aria-label={results.playerOf(file.name)}
        />
      )
    case 'audio':
      return (
        // biome-ignore lint/a11y/useMediaCaption: results have the captions that their tools made
        <audio
          class="media"
          controls
          preload="metadata"
          src={addressOf(file.url)}
          aria-label={results.playerOf(file.name)}
        />
      )
    case 'pdf':
      return <PdfPages file={file} />
    case 'json':
    case 'table':
    case 'text':
      return <TextView file={file} />
    default:
      return null
  }
}
