import { type MediaFile, openMediaFile } from '../../media/file.ts'
import { type Item, type OpenPicture, withExtension, writePicture } from './item.ts'
import { type RunContext, scratchSink } from './run-context.ts'

/** Writes an open image to the scratch folder, for a step that needs its bytes or runs elsewhere. */
export async function writeOpen(context: RunContext, item: Item & { picture: OpenPicture }): Promise<MediaFile> {
  const sink = await scratchSink(context)
  const { file } = await writePicture(item, (extension) => context.nameOf(item, extension), sink)
  return openMediaFile(file.path, file.name)
}

/**
 * Writes an open image for a step that reads it as a named file: with what its format supports, such as no alpha for
 * JPEG, but without the losses of an encoder.
 * @returns the path
 */
export async function writeLossless(
  context: RunContext,
  { name, picture }: Item & { picture: OpenPicture },
): Promise<string> {
  const [{ encodeImage }, { fitToFormat, formatOf }] = await Promise.all([
    import('../../media/image/encode/encode.ts'),
    import('../../media/image/encode/fit-to-format.ts'),
  ])
  const fitted = await fitToFormat(picture.frame, formatOf(picture.frame))
  const format = fitted.pages > 1 ? 'webp' : fitted.space === 'cmyk' ? 'tiff' : 'png'
  const path = await (await scratchSink(context))(withExtension(name, format))
  await encodeImage(fitted.withOnlyTarget({ format, lossless: true, exact: true }), path)
  return path
}
