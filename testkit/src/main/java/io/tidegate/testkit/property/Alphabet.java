package io.tidegate.testkit.property;

/** The characters of generated text. */
final class Alphabet {
    /** Every sort of character that has broken a parser, an encoder or a terminal; plain ones first. */
    static final String ANY = "abcdefghijklmnopqrstuvwxyz0123456789ABCXYZ"
            // what separates, quotes and escapes
            + " _-.,:;/\\'\"`|&<>(){}[]$%#@!?*=+~^\t\n\r"
            // control characters, one at each end
            + "\u0001\u001f\u007f\u0085"
            // two bytes in UTF-8; upper case changes the length, or needs a locale
            + "äßéİıñ"
            // three bytes: other scripts, right to left, line and paragraph separators, no width, byte order mark
            + "ชم漢\u05d0\u2028\u2029\u200b\u200d\ufeff\ufffd\uffff"
            // what joins with the character before
            + "\u0301\u20dd"
            // four bytes, two chars in Java
            + "\ud83d\ude00\ud83c\uddea\ud800\udc00\udbff\udfff";

    private Alphabet() {}
}
