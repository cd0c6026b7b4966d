/** The shop: its database, the load on it, and the ledger of what was committed. */
@NullMarked
package io.tidegate.demo.shop;

import org.jspecify.annotations.NullMarked;
