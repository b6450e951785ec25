// The books, in memory.
const first = [
  { isbn: '9780441013593', title: 'Dune', author: 'Frank Herbert', price: 11.99 },
  { isbn: '9780261102217', title: 'The Hobbit', author: 'J. R. R. Tolkien', price: 9.5 },
  { isbn: '9780141196893', title: 'Middlemarch', author: 'George Eliot', price: 10.25 },
  { isbn: '9780140449266', title: 'The Count of Monte Cristo', author: 'Alexandre Dumas', price: 14 },
];

export class Shelf {
  #books = new Map(first.map((book) => [book.isbn, book]));

  all() {
    return [...this.#books.values()];
  }

  /** @param {string} text part of a title or of an author's name */
  find(text) {
    const wanted = text.toLowerCase();
    return this.all().filter(({ title, author }) => `${title} ${author}`.toLowerCase().includes(wanted));
  }

  add({ isbn, title, author, price }) {
    const problem = !/^\d{13}$/.test(isbn) ? 'isbn: 13 digits' : !title ? 'a title, please' :
      !(price >= 0) ? 'a price, please' : undefined;
    if (problem) throw Object.assign(new Error(problem), { status: 422 });
    const book = { isbn, title, author: author ?? 'unknown', price };
    this.#books.set(isbn, book);
    return book;
  }
}
