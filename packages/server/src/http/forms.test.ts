import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Problem } from '../operations/problem.ts';
import { parseForm } from './uploads.ts';

const type = 'multipart/form-data; boundary=B';
const part = (disposition: string, body: string, more = '') =>
  `--B\r\nContent-Disposition: form-data; ${disposition}\r\n${more}\r\n${body}\r\n`;
const file = part('name="file"; filename="a.png"', '\r\n--C\0', 'Content-Type: image/png\r\n');
const end = '--B--\r\n';
const parse = (text: string, as = type) => parseForm(Buffer.from(text), as);

describe('a form', () => {
  it('has files and texts in order, under any media type', async () => {
    const text = file + part('name="notes"', 'Grüße') + end;
    const bytes = new Uint8Array(Buffer.from('\r\n--C\0'));
    const picture = { name: 'a.png', type: 'image/png', bytes };
    const others = ['multipart/form-data; charset=utf-8; boundary="B"', 'application/json', ''];
    for (const as of [type, 'Multipart/Form-Data;boundary=B', ...others])
      assert.deepEqual(
        await parse(text, as),
        [
          ['file', picture],
          ['notes', 'Grüße'],
        ],
        as,
      );
  });

  it('has the name of a file in UTF-8', async () => {
    const names = [`filename="ré.png"`, `filename="x"; filename*=UTF-8''r%C3%A9.png`];
    for (const name of names) {
      const form = await parse(part(`name="file"; ${name}`, 'x') + end);
      assert.equal((form![0]![1] as { name: string }).name, 'ré.png');
    }
  });

  it('is what the client of the API sends, under the media type of JSON', async () => {
    const data = new FormData();
    data.set('file', new File(['%PDF-1.7'], 'a.pdf', { type: 'application/pdf' }));
    data.set('notes', 'n');
    const bytes = Buffer.from(await new Response(data).arrayBuffer());
    const form = await parseForm(bytes, 'application/json');
    assert.equal(form!.map(([name]) => name).join(), 'file,notes');
  });

  it('is no other body', async () => {
    for (const text of ['{"file":"x"}', '--', `--${'B'.repeat(71)}\r\n`, '-- B\r\n', ' --B\r\n'])
      assert.equal(await parse(text, 'application/json'), null);
  });

  it('that is not complete, or has no boundary, is refused with 400', async () => {
    for (const [text, as] of [
      [file, type],
      [file.slice(0, 30), type],
      ['', type],
      ['--B\r\n', 'application/json'],
      [file + end, 'multipart/form-data; boundary=other'],
      [file + end, 'multipart/form-data; x=y'],
      [file + end, `multipart/form-data; boundary=${'B'.repeat(71)}`],
      [`--B\r\nX: y\r\n\r\n\r\n${end}`, type],
    ] as const)
      await assert.rejects(parse(text, as), (error) => error instanceof Problem, text);
  });

  it('has at most 20 parts, each with 8 KiB of headers', async () => {
    const one = part('name="a"', '');
    assert.equal((await parse(one.repeat(20) + end))!.length, 20);
    const refused = (error: Problem) => error.details[0]!.errMsg.includes('20 parts');
    await assert.rejects(parse(one.repeat(21) + end), refused);
    await assert.rejects(parse('--B\r\n'.repeat(1_000_000)), refused);
    await assert.rejects(parse(part('name="a"', 'x', `X: ${'y'.repeat(8192)}\r\n`) + end), refused);
  });
});
