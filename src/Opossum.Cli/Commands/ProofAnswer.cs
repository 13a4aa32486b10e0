namespace Opossum.Cli.Commands;

/// <summary>The answers of a store about its proof.</summary>
internal static class ProofAnswer
{
    /// <summary>Asks; a history that does not continue its checkpoints, or an event that cannot be proven, is the answer no.</summary>
    /// <exception cref="CliException">The answer is no.</exception>
    public static async Task<T> OfAsync<T>(Task<T> asking)
    {
        try
        {
            return await asking.ConfigureAwait(false);
        }
        catch (StoreMaintenanceException e) when (!e.IsTransient)
        {
            throw new CliException(ExitCode.Negative, e.Message);
        }
    }
}
