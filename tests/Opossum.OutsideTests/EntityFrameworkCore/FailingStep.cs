namespace Opossum.EntityFrameworkCoreTests;

public enum FailingStep
{
    BeforeHandler,
    AfterHandler,
    Saving,
    Saved,
    Committing,
    Committed,
}
