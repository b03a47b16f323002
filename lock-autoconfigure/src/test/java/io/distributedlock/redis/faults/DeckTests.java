package io.distributedlock.redis.faults;

import static org.assertj.core.api.Assertions.assertThat;

import io.distributedlock.redis.history.Model;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class DeckTests {

    @Test
    void dealsEachFaultOnceAndTheLossesTogether() {
        Deck deck = new Deck(new Random(1));
        for (int i = 0; i < 100; i++) {
            List<List<Row>> rounds = deck.deal();
            assertThat(rounds).hasSize(Deck.ROUNDS).noneMatch(List::isEmpty);
            assertThat(rounds.stream().flatMap(List::stream)).containsExactlyInAnyOrder(Row.values());
            assertThat(rounds)
                    .filteredOn(round -> round.stream().anyMatch(row -> row.model() != Model.NO_LOSS))
                    .hasSize(1);
        }
        assertThat(deck.deal()).isNotEqualTo(deck.deal());
    }
}
