import { formatAmount } from '@coffer/core/money';
import type { DemoFile, DemoTransaction } from './demo-book.ts';
import { indexOf } from './household.ts';

const mostReceipts = 3;

/** Returns receipts for the last purchases with a warranty; in a small book without one, for the last purchases. */
export function receiptsOf(transactions: readonly DemoTransaction[]): DemoFile[] {
  const purchases = [...transactions.keys()].filter((at) => isPurchase(transactions[at]!));
  const tag = indexOf('warranty');
  const withWarranty = purchases.filter((at) => transactions[at]!.tags.includes(tag));
  const chosen = withWarranty.length === 0 ? purchases : withWarranty;
  return chosen.slice(-mostReceipts).map((at) => receiptOf(at, transactions[at]!));
}

function isPurchase({ status, amount, isGroupParent, splitParent }: DemoTransaction): boolean {
  return status === 'reviewed' && amount > 0 && !isGroupParent && splitParent === null;
}

function receiptOf(transaction: number, row: DemoTransaction): DemoFile {
  const { date, payee, amount, currency } = row;
  const total = `${formatAmount(amount).slice(0, -2)} ${currency.toUpperCase()}`;
  return {
    transaction,
    name: `receipt-${date}.pdf`,
    notes: 'Two years of warranty',
    bytes: pdfOf(['RECEIPT', asciiOf(payee), date, `Total: ${total}`, 'Thank you']),
  };
}

/** The fonts that every reader has know few characters. */
function asciiOf(text: string): string {
  return text.normalize('NFD').replaceAll(/[^ -~]/g, '');
}

/** Returns a document of one page with lines of ASCII text. */
function pdfOf(lines: readonly string[]): Uint8Array {
  const shown = lines.map((line) => `(${line.replaceAll(/[\\()]/g, String.raw`\$&`)}) Tj T*`);
  const content = `BT /F1 12 Tf 18 TL 24 168 Td\n${shown.join('\n')}\nET`;
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
    '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 280 200] /Contents 4 0 R ' +
      '/Resources << /Font << /F1 5 0 R >> >> >>',
    `<< /Length ${content.length} >>\nstream\n${content}\nendstream`,
    '<< /Type /Font /Subtype /Type1 /BaseFont /Courier >>',
  ];
  let text = '%PDF-1.4\n';
  const offsets = objects.map((object, at) => {
    const offset = text.length;
    text += `${at + 1} 0 obj\n${object}\nendobj\n`;
    return `${String(offset).padStart(10, '0')} 00000 n \n`;
  });
  const size = objects.length + 1;
  const table = `xref\n0 ${size}\n0000000000 65535 f \n${offsets.join('')}`;
  const trailer = `trailer\n<< /Size ${size} /Root 1 0 R >>\nstartxref\n${text.length}\n%%EOF\n`;
  return new TextEncoder().encode(text + table + trailer);
}
