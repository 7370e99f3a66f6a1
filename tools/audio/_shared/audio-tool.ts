import type { AvPart, AvSource } from '../../../src/media/av/input/part.ts'
import { type AvToolDeclaration, avTool } from '../../../src/tool/av-tool.ts'
import type { StepContext, Tool } from '../../../src/tool/contract.ts'
import type { SettingsOf, SettingsTable } from '../../../src/tool/settings.ts'
import { COVER_SETTINGS, coverPart, WITH_COVER } from './cover.ts'

type AudioToolDeclaration<Table extends SettingsTable> = Omit<
  AvToolDeclaration<Table>,
  'section' | 'input' | 'plan' | 'kinds' | 'produce'
> & {
  plan(source: AvSource, settings: SettingsOf<Table>, context: StepContext): AvPart | Promise<AvPart>
}

/** A tool that makes one audio file from one. The settings for the cover picture are added. */
export function audioTool<const Table extends SettingsTable>({ plan, ...facts }: AudioToolDeclaration<Table>): Tool {
  return avTool<SettingsTable>({
    ...(facts as unknown as AudioToolDeclaration<SettingsTable>),
    ...{ section: 'audio', input: WITH_COVER },
    settings: { ...facts.settings, ...COVER_SETTINGS },
    async plan(source, settings, context) {
      const part = await plan(source, settings as SettingsOf<Table>, context)
      return { ...part, ...(await coverPart(settings as SettingsOf<typeof COVER_SETTINGS>, context)) }
    },
  })
}
