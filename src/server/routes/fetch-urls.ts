import { mkdir, rename } from 'node:fs/promises'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { mapConcurrently } from '../../concurrency.ts'
import { download } from '../../engines/http/http.ts'
import { MediaprocError, toMediaprocError } from '../../errors.ts'
import { zip } from '../../lists.ts'
import { openMediaFile } from '../../media/file.ts'
import { safeFileName } from '../../media/safe-file-name.ts'
import type { ServerContext } from '../context.ts'
import { invalid } from '../http/answers.ts'
import { MAX_URL } from '../http/limits.ts'
import { UNCHECKED } from '../http/route-options.ts'
import { downloadUrl } from '../jobs/results.ts'
import { pictureSize } from '../library/versions.ts'
import { operation } from '../openapi/operations.ts'
import { exactly, listOf, the } from '../openapi/shapes.ts'
import type { ReceivedFile } from '../uploads/multipart.ts'
import { type WorkFolder, workFolder } from '../uploads/work-folder.ts'
import { keepUploads } from '../uploads/workspace-uploads.ts'

const MAX_URLS = 50
const MAX_BYTES = 50 * 1024 * 1024
const TIMEOUT_MS = 30_000
const MAX_AT_ONCE = 4

type Fetched = { file: ReceivedFile } | { error: string }

/** Parses the URLs of the body. Whether a URL may be fetched is reported for each of them. */
function urlsOf(body: unknown): string[] {
  const urls: unknown = (body as { urls?: unknown } | null)?.urls
  if (!Array.isArray(urls) || urls.length === 0 || urls.length > MAX_URLS)
    throw invalid(`urls: Expected 1 to ${MAX_URLS} addresses`)
  return urls.map((url: unknown) => {
    if (typeof url !== 'string' || url.length > MAX_URL || !URL.canParse(url))
      throw invalid('urls: Expected absolute http or https addresses')
    return url
  })
}

async function fetchOne(url: string, work: WorkFolder, index: number): Promise<Fetched> {
  const signal = AbortSignal.timeout(TIMEOUT_MS)
  try {
    const own = work.path(`url-${index}`)
    await mkdir(own)
    const got = await download(url, own, { signal, maxBytes: MAX_BYTES })
    const path = work.path(`in-${index}`)
    await rename(got.path, path)
    const name = safeFileName(got.name)
    const { type } = await openMediaFile(path, name)
    if (type.group === 'unknown') return { error: 'No tool takes this type of file' }
    return { file: { field: 'url', name, path, bytes: got.bytes, mime: type.mime } }
  } catch (error) {
    if (signal.aborted) return { error: `The file did not arrive within ${TIMEOUT_MS / 1000} seconds` }
    return { error: toMediaprocError(error, 'DOWNLOAD_FAILED').message }
  }
}

async function fetchUrls(context: ServerContext, request: FastifyRequest) {
  if (!context.config.urlFetchEnabled) throw new MediaprocError('FORBIDDEN', 'Fetching addresses is switched off')
  const urls = urlsOf(request.body)
  const work = await workFolder(context, request)
  const { id } = work
  const fetched = await mapConcurrently(urls, MAX_AT_ONCE, (url, index) => fetchOne(url, work, index))
  const files = fetched.flatMap((one, index) =>
    'file' in one ? [{ ...one.file, name: `${index + 1}-${one.file.name}` }] : [],
  )
  const { userId } = request.caller
  const sizes = await mapConcurrently(fetched, MAX_AT_ONCE, async (one) =>
    'file' in one ? pictureSize(context.pool, userId, one.file.path, one.file.name) : undefined,
  )
  if (files.length > 0) await keepUploads(context, request.caller, id, files)
  return {
    results: zip(urls, fetched).map(([url, one], index) => {
      if ('error' in one) return { success: false, url, error: one.error }
      const { name: filename, mime: contentType, bytes: size } = one.file
      const address = downloadUrl(id, `${index + 1}-${filename}`)
      return {
        success: true,
        url,
        filename,
        contentType,
        size,
        ...sizes[index],
        downloadUrl: address,
        previewUrl: null,
      }
    }),
  }
}

/** Downloads files from URLs; the guard blocks private networks. */
export async function fetchUrlRoutes(app: FastifyInstance, context: ServerContext): Promise<void> {
  app.post(
    '/api/v1/fetch-urls',
    {
      config: { access: 'tools:use', rateLimit: { max: 200, timeWindow: '1 hour' } },
      ...operation('jobs', 'Fetch files from addresses into the workspace', {
        body: {
          type: 'object',
          properties: {
            urls: { type: 'array', items: { type: 'string', format: 'uri', maxLength: MAX_URL }, maxItems: MAX_URLS },
          },
          examples: [{ urls: ['https://example.com/photo.jpg'] }],
        },
        answer: exactly({ results: listOf(the('FetchedFile')) }),
      }),
      ...UNCHECKED,
    },
    (request) => fetchUrls(context, request),
  )
}
