from structlog.testing import capture_logs

from compute_worker.obstacle import FIRST_TOLD_SECONDS, TOLD_AGAIN_SECONDS, Obstacle


def test_what_lasts_is_told_after_a_while_and_then_now_and_again() -> None:
    now = 100.0
    obstacle = Obstacle("The store has not answered yet.", clock=lambda: now)
    with capture_logs() as logs:
        obstacle.note("The store at X can't be reached. Check S3_INTERNAL_ENDPOINT.", cause="refused")
        assert not logs
        now += FIRST_TOLD_SECONDS
        obstacle.tell_if_due()
        obstacle.tell_if_due()
        now += TOLD_AGAIN_SECONDS - 1
        obstacle.tell_if_due()
        assert [entry["event"] for entry in logs] == [
            "Still trying: The store at X can't be reached. Check S3_INTERNAL_ENDPOINT."
        ]
        now += 1
        obstacle.tell_if_due()
        assert len(logs) == 2
        obstacle.is_gone("The store is there now.")
    assert (logs[-1]["event"], logs[-1]["log_level"]) == ("The store is there now.", "info")


def test_what_nobody_has_read_of_is_not_said_to_be_gone() -> None:
    obstacle = Obstacle("The store has not answered yet.", clock=lambda: 0.0)
    with capture_logs() as logs:
        obstacle.note("The store can't be reached.", cause="refused")
        obstacle.is_gone("The store is there now.")
    assert not logs
