import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { colourOf, groundOf, letterOf } from './looks.ts';

describe('the mark of a category', () => {
  it('is the first letter of the name, without an icon or with one that only others know', () => {
    assert.equal(letterOf(' éclairs', null), 'É');
    assert.equal(letterOf('🏠 Home', null), '🏠');
    assert.equal(letterOf('Travel', 'shopping-cart'), 'T');
    assert.equal(letterOf('', null), '');
  });

  it('is the character that was chosen', () => {
    assert.equal(letterOf('Bakery', '🥐'), '🥐');
    assert.equal(letterOf('Bakery', 'b'), 'b');
  });

  it('has the chosen colour and what is readable on it, else the usual ground', () => {
    assert.deepEqual(groundOf('#cd3b30'), { backgroundColor: '#cd3b30', color: '#ffffff' });
    assert.deepEqual(groundOf('#f0e0a0'), { backgroundColor: '#f0e0a0', color: '#000000' });
    assert.equal(groundOf(null), undefined);
  });
});

it('a name has one of nine colours, whatever its letter case', () => {
  const colours = Array.from({ length: 500 }, (_, at) => colourOf(`Payee ${at}`));
  assert.deepEqual([...new Set(colours)].sort(), [1, 2, 3, 4, 5, 6, 7, 8, 9]);
  assert.equal(colourOf(' corner GROCER'), colourOf('Corner Grocer'));
});
