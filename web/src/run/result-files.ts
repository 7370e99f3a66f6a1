/** The files that the answer of a job names. */
export interface ResultFile {
  url: string
  name: string
}

/** The name of a file by its address. */
function nameInUrl(url: string): string {
  const last = url.split('?')[0]?.split('/').at(-1) ?? ''
  return decodeURIComponent(last)
}

type Answer = Readonly<Record<string, unknown>> | null

/** All files of an answer, the main one first; an archive of them is not among them. */
export function downloadsOf(result: Answer): ResultFile[] {
  if (!result) return []
  const { downloadUrl, downloads } = result
  const listed = Array.isArray(downloads) ? (downloads as { filename: string; downloadUrl: string }[]) : []
  if (listed.length > 0) return listed.map(({ filename, downloadUrl: url }) => ({ url, name: filename }))
  return typeof downloadUrl === 'string' ? [{ url: downloadUrl, name: nameInUrl(downloadUrl) }] : []
}

/** Fields of every answer, which are shown in their own way. */
const COMMON = new Set([
  ...['jobId', 'downloadUrl', 'originalSize', 'processedSize', 'downloads', 'previewUrl', 'savedFileId'],
  ...['zipUrl', 'zipSize', 'warnings', 'fileResults'],
])

/** What a tool reports besides its files. */
export function reportOf(result: Answer): Record<string, unknown> {
  return Object.fromEntries(Object.entries(result ?? {}).filter(([name]) => !COMMON.has(name)))
}
