// The types of settings exist in the build only.
import { runTool, type ToolId } from '../dist/src/index.js'

/** Never called: the compiler reads it (`npm run lint`), and an error that is expected and absent is one. */
export async function checkedByTheCompiler(id: string, known: ToolId): Promise<void> {
  await runTool('image/resize', 'a.jpg', { width: 800, fit: 'cover' })
  await runTool('image/info', 'a.jpg')
  await runTool('image/info', 'a.jpg', {}, { outputDir: 'out' })
  await runTool('video/trim-video', 'a.mp4', { startS: '1:30', endS: 100 })
  await runTool('image/edit-metadata/inspect', 'a.jpg')
  await runTool(id, 'a.jpg', { anything: 1 })
  await runTool(known, 'a.jpg')
  // @ts-expect-error: no such setting
  await runTool('image/resize', 'a.jpg', { widht: 800 })
  // @ts-expect-error: not one of the words
  await runTool('image/resize', 'a.jpg', { fit: 'squeeze' })
  // @ts-expect-error: not a number, nor one with its unit
  await runTool('image/resize', 'a.jpg', { width: 'wide' })
  // @ts-expect-error: no such tool
  await runTool('image/resise', 'a.jpg')
  // @ts-expect-error: a setting that is required
  await runTool('image/barcode-generate', [])
}
