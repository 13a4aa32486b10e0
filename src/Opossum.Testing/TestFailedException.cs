namespace Opossum.Testing;

/// <summary>
/// A test of this package failed: the only exception for a failure of the code under test. The message has what was expected, what happened and
/// the events, so that it can be shown by any test framework.
/// </summary>
public sealed class TestFailedException : Exception
{
    /// <summary>Creates the exception.</summary>
    /// <param name="message">What was expected, what happened, and the events.</param>
    /// <param name="cause">The exception of the code under test; null if there is none.</param>
    public TestFailedException(string message, Exception? cause = null)
        : base(message, cause)
    {
    }
}
