/** The drawings of a tool for one of its files: each setting that can be drawn has a card. */
import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { useEffect } from 'preact/hooks'
import type { ToolForm } from '../api/types.ts'
import { fileNow, type WorkFile } from '../files/work-files.ts'
import { STRINGS } from '../strings.ts'
import type { Chosen } from '../tools/other-files.tsx'
import { AreasOnPages } from './areas-drawing.tsx'
import { ClipOfMedia } from './clip-drawing.tsx'
import type { DrawingProps } from './drawing-props.ts'
import { type Drawing, drawingsOf } from './drawings.ts'
import { MaskOnPicture } from './mask-drawing.tsx'
import { PagesOfDocument } from './pages-drawing.tsx'
import { openPdf } from './pdf.ts'
import { openPicture } from './picture.ts'
import { CornersOnPicture, PointOnPicture } from './points-drawing.tsx'
import { RectangleOnPicture } from './rectangle-drawing.tsx'
import { useLoaded } from './use-loaded.ts'
import '../styles/draw.css'

export interface DrawingsProps extends DrawingProps {
  tool: ToolForm
  files: readonly WorkFile[]
  others: Chosen
  onOthers(others: Chosen): void
}

function titleOf(drawing: Drawing, tool: ToolForm): string {
  const { draw } = STRINGS
  switch (drawing.kind) {
    case 'rectangle':
      return drawing.inside?.label ?? draw.rectangle
    case 'point':
      return draw.point(drawing.x.group ?? drawing.x.label.replace(/ x$/i, ''))
    case 'mask':
      return draw.mask(tool.inputs.files.find(({ name }) => name === drawing.name)?.label ?? drawing.name)
    default:
      return draw[drawing.kind]
  }
}

type OneProps = DrawingsProps & { drawing: Drawing; file: File }

/** A drawing on a picture, which is opened first. */
function OnPicture({ drawing, file, ...props }: OneProps): JSX.Element | null {
  const { value: picture, failure } = useLoaded(() => openPicture(file), [file])
  useEffect(() => () => picture && URL.revokeObjectURL(picture.address), [picture])
  if (failure !== undefined) return <p class="fault">{STRINGS.draw.failed(failure)}</p>
  if (!picture) return <p class="faint">{STRINGS.draw.drawing}</p>
  switch (drawing.kind) {
    case 'rectangle':
      return <RectangleOnPicture {...props} drawing={drawing} picture={picture} />
    case 'corners':
      return <CornersOnPicture {...props} drawing={drawing} picture={picture} />
    case 'point':
      return <PointOnPicture {...props} drawing={drawing} picture={picture} />
    case 'mask':
      return <MaskOnPicture {...props} name={drawing.name} picture={picture} />
    default:
      return null
  }
}

/** A drawing on the pages of a PDF. */
function OnPdf({ drawing, file, ...props }: OneProps): JSX.Element | null {
  const { value: pdf, failure } = useLoaded(() => openPdf(file), [file])
  if (failure !== undefined) return <p class="fault">{STRINGS.draw.failed(failure)}</p>
  if (!pdf) return <p class="faint">{STRINGS.draw.drawing}</p>
  if (drawing.kind === 'areas') return <AreasOnPages {...props} {...{ drawing, file, pdf }} />
  return drawing.kind === 'pages' ? <PagesOfDocument {...props} {...{ drawing, file, pdf }} /> : null
}

function One(props: OneProps): JSX.Element {
  const { drawing } = props
  const view =
    drawing.kind === 'pages' || drawing.kind === 'areas' ? (
      <OnPdf {...props} />
    ) : drawing.kind === 'clip' || drawing.kind === 'moments' ? (
      <ClipOfMedia {...props} {...{ drawing }} />
    ) : (
      <OnPicture {...props} />
    )
  return view
}

export function Drawings(props: DrawingsProps): JSX.Element | null {
  const { tool, files, values } = props
  const { draw } = STRINGS
  const chosen = useSignal(0)
  const work = files.find(({ id }) => id === chosen.value) ?? files[0]
  const drawings = drawingsOf(tool, values)
  if (!work || drawings.length === 0) return null
  const file = fileNow(work)
  return (
    <>
      {drawings.map((drawing) => {
        const title = titleOf(drawing, tool)
        return (
          <section key={title} class="card drawing" aria-label={title}>
            <div class="row apart">
              <h2>{title}</h2>
              {files.length > 1 && (
                <label class="inline-field">
                  <span>{draw.shown}</span>
                  <select
                    value={String(work.id)}
                    onChange={(event) => {
                      chosen.value = Number(event.currentTarget.value)
                    }}
                  >
                    {files.map((one) => (
                      <option key={one.id} value={String(one.id)}>
                        {fileNow(one).name}
                      </option>
                    ))}
                  </select>
                </label>
              )}
            </div>
            <One {...props} drawing={drawing} file={file} />
          </section>
        )
      })}
    </>
  )
}
