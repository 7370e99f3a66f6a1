import { commandData, commandProperty } from '../output/escape.ts'
import { pathInside } from './artifact-path.ts'
import { type CheckReport, fixLine } from './report.ts'

/** The findings as annotations of GitHub Actions. Locations are relative to `root`, an absolute folder. */
export function githubReport(report: CheckReport, root: string): string {
  return report.files
    .flatMap(({ findings }) => findings)
    .map((finding) => {
      const { file, rule, severity, message } = finding
      const command = fixLine(finding, report)
      const inside = pathInside(root, file)
      const properties = [
        ...(inside === undefined ? [] : [`file=${commandProperty(inside)}`]),
        `title=${commandProperty(rule)}`,
      ]
      const text = `${file}: ${message}${command === undefined ? '' : `\nfix: ${command}`}`
      return `::${severity} ${properties.join(',')}::${commandData(text)}\n`
    })
    .join('')
}
