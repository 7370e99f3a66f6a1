import { beforeAll, describe, expect, test } from 'vitest'
import { findRoute, reachable } from '../../src/local/convert-routes.ts'
import { catalogue, useScannedCatalogue } from '../../src/tool/registry.ts'

beforeAll(async () => void (await useScannedCatalogue()))

describe('conversions by extension', () => {
  const toolOf = (from: string, to: string): string | undefined => {
    const route = findRoute(from, to)
    return route && `${route.entry.section}/${route.entry.id} ${JSON.stringify(route.settings)}`
  }

  test.each([
    ['heic', 'jpg', 'image/convert {"format":"jpg"}'],
    ['JPEG'.toLowerCase(), 'webp', 'image/convert {"format":"webp"}'],
    ['pdf', 'png', 'pdf/pdf-to-image {"format":"png"}'],
    ['mov', 'webm', 'video/convert-video {"format":"webm"}'],
    ['mp4', 'gif', 'video/video-to-gif {}'],
    ['wav', 'mp3', 'audio/convert-audio {"format":"mp3"}'],
    ['csv', 'json', 'files/csv-json {}'],
    ['json', 'csv', 'files/csv-json {}'],
  ])('%s to %s', (from, to, expected) => {
    expect(toolOf(from, to)).toBe(expected)
  })

  test('finds every preset that is a conversion', () => {
    const presets = catalogue().flatMap(({ id, base, input, output: { type } }) =>
      base !== undefined && type && 'is' in type ? [{ id, input, to: type.is }] : [],
    )
    expect(presets.length).toBeGreaterThan(20)
    for (const { id, input, to } of presets)
      for (const from of input.accept) expect([id, from, findRoute(from, to) !== undefined]).toEqual([id, from, true])
  })

  test('suggests only existing tools', () => {
    expect(toolOf('wav', 'jpg')).toBeUndefined()
    expect(toolOf('mp3', 'mp4')).toBeUndefined()
    expect(reachable('mp3')).toContain('wav')
    expect(reachable('xyz')).toEqual([])
  })
})
