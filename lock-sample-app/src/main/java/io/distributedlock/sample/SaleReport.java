package io.distributedlock.sample;

/**
 * How far a sale is.
 *
 * @param stock how many pieces there were
 * @param sold how many customers got one
 * @param served how many customers have left, with or without one
 * @param customers how many there are at all instances together
 * @param instances how many instances take part; 0 until that is known
 * @param finished how many of them have served all their customers
 */
record SaleReport(Sale sale, int stock, int sold, int served, int customers, int instances, int finished) {

    boolean over() {
        return instances > 0 && finished >= instances;
    }
}
