import { type MediaFile, openMediaFile } from '../../media/file.ts'
import { type Item, type OpenPicture, writePicture } from './item.ts'
import { type RunContext, scratchSink } from './run-context.ts'

/** Writes an open image to the scratch folder, for a step that needs its bytes or runs elsewhere. */
export async function writeOpen(context: RunContext, item: Item & { picture: OpenPicture }): Promise<MediaFile> {
  const sink = await scratchSink(context)
  const { file } = await writePicture(item, (extension) => context.nameOf(item, extension), sink)
  return openMediaFile(file.path, file.name)
}
