/** Sections of a script that hold text and its looks; fonts, pictures and the notes of editors are others. */
const KEPT_SECTIONS = /^\[(Script Info|V4\+? Styles\+?|V4\+\+ Styles|Events)\]$/i
/** Events that are shown as text; the others name pictures, sounds, films and programs. */
const KEPT_EVENTS = /^(Format|Dialogue|Comment)\s*:/i
/** Lines of the head that name other files. */
const NAMES_FILES = /^(Audio|Video|Keyframes|Timecodes|Audio File|Video File|Keyframes File)[^:]*:/i

/** A script without attached fonts and pictures, and without events and lines that name other files. */
export function onlyText(script: string): string {
  let section = ''
  const kept: string[] = []
  for (const line of script.split('\n')) {
    const heading = /^\s*(\[[^\]]*\])\s*$/.exec(line)?.[1]
    if (heading) section = heading
    if (!KEPT_SECTIONS.test(section)) continue
    if (!heading && /events/i.test(section) && !KEPT_EVENTS.test(line.trim())) continue
    if (!heading && /script info/i.test(section) && NAMES_FILES.test(line.trim())) continue
    kept.push(line)
  }
  return `${kept.join('\n').trimEnd()}\n`
}
