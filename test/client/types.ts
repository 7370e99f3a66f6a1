// The types of settings and of the API exist in the build only.
import type { BatchResult, components, JobEvent, RunResult, ToolId } from '../../dist/src/client/client.js'
import { ApiError, MediaprocClient } from '../../dist/src/client/client.js'

/** Never called: the compiler reads it (`npm run lint`), and an error that is expected and absent is one. */
export async function checkedByTheCompiler(id: string, known: ToolId, file: File): Promise<void> {
  const client = new MediaprocClient({ url: 'https://media.example.com', key: 'si_1' })
  const { files }: RunResult = await client.run('image/resize', file, { width: 800, fit: 'cover' })
  await client.run('image/info', files)
  await client.run('image/watermark-image', [file], {}, { secondary: { watermark: { uploadId: '1' } } })
  await client.run('image/edit-metadata/inspect', { jobId: '1', filename: 'a.jpg' })
  await client.run(id, file, { anything: 1 })
  await client.run(known, file)
  await client.runPipeline([{ tool: 'image/resize', settings: { width: 5 } }, { tool: 'image/rotate' }], file)
  const { jobs, total } = await client.get('/api/v1/jobs', { params: { query: { limit: 5, status: 'completed' } } })
  const percent: number[] = jobs.map((job) => job.progress.percent + total)
  const blob: Blob = await client.get('/api/v1/files/{id}/download', { params: { path: { id } }, parseAs: 'blob' })
  const uploaded = await client.post('/api/v1/files/upload', { body: { file: [blob] } })
  const item: components['schemas']['LibraryItem'] | undefined = (
    await client.get('/api/v1/files/{id}', { params: { path: { id: uploaded.files[0]?.id ?? '' } } })
  ).versions[0]
  const event: JobEvent | undefined = (await client.jobs.events('1').next()).value ?? undefined
  if (event?.type === 'batch') percent.push(event.totalFiles)
  const { code, status }: { code: string; status: number | undefined } = new ApiError(
    'NOT_FOUND',
    item?.toolChain[0] ?? '',
  )
  await client.download(files[0] ?? String(code) + status).then(({ body }) => body?.cancel())
  for await (const { index, result, error } of client.runEach('image/resize', [file], { width: 5 }, { order: 'input' }))
    percent.push(index, result?.files.length ?? error?.status ?? 0)
  const { names }: BatchResult = await client.runBatch('image/resize', [file], { width: 5 }, { jobId: '1' })
  await client.run('image/info', await client.uploads.send(file, { name: names[0] ?? 'a.png' }))
  // @ts-expect-error: no such order
  client.runEach('image/resize', [file], { width: 5 }, { order: 'random' })
  // @ts-expect-error: no such setting of the batch
  await client.runBatch('image/resize', [file], { widht: 800 })
  // @ts-expect-error: no such setting
  await client.run('image/resize', file, { widht: 800 })
  // @ts-expect-error: not one of the words
  await client.run('image/resize', file, { fit: 'squeeze' })
  // @ts-expect-error: no such tool
  await client.run('image/resise', file)
  // @ts-expect-error: a setting that is required
  await client.run('image/barcode-generate', [])
  // @ts-expect-error: a path is not content
  await client.run('image/resize', 'photo.jpg')
  // @ts-expect-error: not a setting of that step
  await client.runPipeline([{ tool: 'image/resize', settings: { angle: 5 } }], file)
  // @ts-expect-error: an action is no step
  await client.runPipeline([{ tool: 'image/edit-metadata/inspect' }], file)
  // @ts-expect-error: no such path
  await client.get('/api/v1/filez')
  // @ts-expect-error: the path has no such method
  await client.delete('/api/v1/health')
  // @ts-expect-error: the parameter is missing
  await client.get('/api/v1/files/{id}')
  // @ts-expect-error: the parameter is a number
  await client.get('/api/v1/jobs', { params: { query: { limit: 'many' } } })
  // @ts-expect-error: no such parameter
  await client.get('/api/v1/jobs', { params: { query: { limits: 5 } } })
  // @ts-expect-error: the ids are missing
  await client.delete('/api/v1/files', { body: {} })
  // @ts-expect-error: no such field
  ;(await client.get('/api/v1/jobs')).pages
}
