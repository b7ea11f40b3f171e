interface JSON {
  /** Text that JSON.stringify writes as it is (ECMAScript proposal json-parse-with-source; in Node since 21). */
  rawJSON(text: string): object;
}
