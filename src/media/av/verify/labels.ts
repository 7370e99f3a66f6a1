import type { MediaInfo, Stream } from '../../../engines/ffmpeg/ffprobe.ts'
import { sameLanguage } from '../labels/languages.ts'
import { type Loss, streamsOf } from './loss.ts'
import type { OutputPlan } from './output-plan.ts'

const KINDS = ['video', 'audio', 'subtitle'] as const

/** Track languages, titles and roles that the output lacks. */
export function labelLosses(plan: OutputPlan, output: MediaInfo): Loss[] {
  // Ogg stores the title of a stream at the file level.
  const isOgg = plan.source.info.format === 'ogg'
  return KINDS.flatMap((of) => {
    const made = streamsOf(output, of).slice(of === 'video' ? 0 : plan.added[of])
    const pairs = plan.kept[of].flatMap(({ stream }, position) => {
      const to = made[position]
      return to ? [{ from: stream, to, position }] : []
    })
    return [
      ...pairs.flatMap(({ from, to, position }): Loss[] => {
        const facts = { of, stream: position, reason: 'container' } as const
        const language = languageOf(to, output)
        const title = titlesOf(to, output)
        const roles = (from.roles ?? []).filter((role) => !to.roles?.includes(role))
        return [
          ...(from.language && !sameLanguage(from.language, language)
            ? [{ kind: 'language' as const, from: from.language, ...(language && { to: language }), ...facts }]
            : []),
          ...(from.title && !isOgg && !title.includes(from.title)
            ? [{ kind: 'title' as const, from: from.title, ...facts }]
            : []),
          ...[...roles, ...(from.isForced && !to.isForced ? ['forced'] : [])].map((role) => ({
            ...{ kind: 'role' as const, from: role, ...facts },
          })),
        ]
      }),
      ...defaultLoss(of, pairs),
    ]
  })
}

/** Audio-only files store the language of their only track as a file-level tag. */
const languageOf = ({ language }: Stream, { tags, streams }: MediaInfo): string | undefined =>
  language ?? (streams.filter(({ type }) => type === 'audio').length === 1 ? tags.language : undefined)

/** Possible locations of a track title: MOV and MP4 store it as the handler name. */
const titlesOf = ({ title, tags }: Stream, info: MediaInfo): (string | undefined)[] => [
  ...[title, tags.handler_name],
  ...(info.streams.length === 1 ? [info.tags.title] : []),
]

/** Detects that players select another default track than before, when there are several. */
function defaultLoss(of: (typeof KINDS)[number], pairs: { from: Stream; to: Stream; position: number }[]): Loss[] {
  if (pairs.length < 2) return []
  const chosen = (side: 'from' | 'to'): number =>
    Math.max(
      pairs.findIndex((pair) => pair[side].isDefault),
      // Without a default flag, players select the first video and audio track, and no subtitles.
      of === 'subtitle' ? -1 : 0,
    )
  const [from, to] = [chosen('from'), chosen('to')]
  if (from < 0 || from === to) return []
  return [{ kind: 'default', of, stream: from, from: from + 1, ...(to >= 0 && { to: to + 1 }), reason: 'container' }]
}
