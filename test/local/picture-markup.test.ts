import { expect, test } from 'vitest'
import { pictureMarkup } from '../../src/local/manifest/picture-markup.ts'

const picture = (file: string, width: number, height: number, type: string) => ({ file, type, width, height })

test('sources by type and width, and an image that all browsers show', () => {
  const files = [
    picture('a-800.webp', 800, 533, 'image/webp'),
    picture('a-400.webp', 400, 267, 'image/webp'),
    picture('a-800.jpg', 800, 533, 'image/jpeg'),
    picture('a-800.avif', 800, 533, 'image/avif'),
  ]
  expect(pictureMarkup(files)).toEqual({
    srcset: {
      'image/avif': 'a-800.avif 800w',
      'image/webp': 'a-400.webp 400w, a-800.webp 800w',
      'image/jpeg': 'a-800.jpg 800w',
    },
    picture:
      '<picture><source type="image/avif" srcset="a-800.avif 800w">' +
      '<source type="image/webp" srcset="a-400.webp 400w, a-800.webp 800w">' +
      '<img src="a-800.jpg" width="800" height="533" alt=""></picture>',
  })
})

test('another crop, other types and a single file are no choice', () => {
  const large = picture('a.jpg', 800, 533, 'image/jpeg')
  expect(pictureMarkup([large, picture('thumb.jpg', 320, 320, 'image/jpeg')])).toBeUndefined()
  expect(pictureMarkup([large, picture('a.tiff', 800, 533, 'image/tiff')])).toBeUndefined()
  expect(pictureMarkup([large, { file: 'a.pdf', type: 'application/pdf' }])).toBeUndefined()
  expect(pictureMarkup([])).toBeUndefined()
})

test('names are URLs: nothing ends an attribute or a candidate', () => {
  const name = `../x y/a, "b" 'c' <d>&é`
  const markup = pictureMarkup([
    picture(`${name}-1.jpg`, 100, 50, 'image/jpeg'),
    picture(`${name}-2.jpg`, 200, 100, 'image/jpeg'),
  ])
  expect(markup?.picture).toBe(
    '<picture><img src="../x%20y/a%2C%20%22b%22%20%27c%27%20%3Cd%3E%26%C3%A9-2.jpg" ' +
      'srcset="../x%20y/a%2C%20%22b%22%20%27c%27%20%3Cd%3E%26%C3%A9-1.jpg 100w, ' +
      '../x%20y/a%2C%20%22b%22%20%27c%27%20%3Cd%3E%26%C3%A9-2.jpg 200w" width="200" height="100" alt=""></picture>',
  )
})
