/** Script sections with text and styling; others contain fonts, pictures and editor notes. */
const KEPT_SECTIONS = /^\[(Script Info|V4\+? Styles\+?|V4\+\+ Styles|Events)\]$/i
/** Events displayed as text; others reference pictures, sounds, movies and programs. */
const KEPT_EVENTS = /^(Format|Dialogue|Comment)\s*:/i
/** Header lines that reference other files. */
const NAMES_FILES = /^(Audio|Video|Keyframes|Timecodes|Audio File|Video File|Keyframes File)[^:]*:/i

/** Removes attached fonts and pictures from a script, and events and lines that reference other files. */
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
