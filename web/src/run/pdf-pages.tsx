/** The pages of a PDF as pictures, which the server draws when they come into view. */
import type { JSX } from 'preact'
import { useRef } from 'preact/hooks'
import { openPdf, type PdfFile } from '../draw/pdf.ts'
import { useThumbnails } from '../draw/thumbnails.ts'
import { useLoaded } from '../draw/use-loaded.ts'
import { STRINGS } from '../strings.ts'
import type { ResultFile } from './result-files.ts'
import { fetchResult } from './save.ts'

export function PdfPages({ file: result }: { file: ResultFile }): JSX.Element {
  const { results } = STRINGS
  const { value, failure } = useLoaded(async () => {
    const file = await fetchResult(result)
    return { file, pdf: await openPdf(file) }
  }, [result.url])
  if (failure !== undefined) return <p class="faint">{results.noPages(failure)}</p>
  return value ? <Pages {...value} /> : <p class="faint">{STRINGS.loading}</p>
}

function Pages({ file, pdf }: { file: File; pdf: PdfFile }): JSX.Element {
  const { results } = STRINGS
  const list = useRef<HTMLOListElement>(null)
  const pictures = useThumbnails(file, pdf, list)
  return (
    <ol ref={list} class="pdf-pages">
      {pdf.pages.map(({ width, height }, index) => {
        const page = index + 1
        return (
          <li key={page} data-page={page}>
            <img
              src={pictures.get(page) ?? BLANK}
              alt={results.page(page)}
              style={{ '--shape': String(width / height) }}
            />
            <span class="faint small">{page}</span>
          </li>
        )
      })}
    </ol>
  )
}

/** A white pixel. */
const BLANK = 'data:image/gif;base64,R0lGODlhAQABAIAAAP///wAAACH5BAAAAAAALAAAAAABAAEAAAICRAEAOw=='
